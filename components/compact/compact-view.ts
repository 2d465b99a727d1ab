// The ledger of a compaction as it is drawn: groups, rows, bars and the strip, from the answer of its dry run. Pure.
import { CATEGORIES, type Category, type Origin } from "#lib/wire/common-schema.ts";
import type { LoadCall } from "#lib/wire/load-schema.ts";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { categoryOf, outsideMessages, sentCall, type Hidden } from "#lib/wire/outside-messages.ts";
import { formatTokens } from "../ui/format.ts";

export type Part = CompactAnswer["whole"][number];
export type Fate = "kept" | "summarised" | "dropped";

/** A turn, where it begins, and what the user said. */
export type Turn = { readonly turn: number; readonly seq: number; readonly title: string };

/** What of its prompt the messages of an answer do not hold. */
export const hiddenOf = (calls: readonly LoadCall[], answer: CompactAnswer): Hidden =>
  outsideMessages(calls, { ...answer, parts: [...answer.whole, ...answer.summarised, ...answer.dropped] });

/** The turn that an event belongs to; null before the first. */
export function turnAt(turns: readonly Turn[], seq: number): Turn | null {
  let low = 0;
  let high = turns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((turns[middle]?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return turns[low - 1] ?? null;
}

export const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, { tokens }) => sum + tokens, 0);

/** What stands in the place of all that was cut. */
export const summaryTokens = ({ tokensAfter, whole }: CompactAnswer): number => Math.max(0, tokensAfter - sumOf(whole));

export type Totals = {
  readonly before: number;
  readonly after: number;
  readonly freed: number;
  readonly beforeOrigin: Origin;
};

/** With what the provider adds: only so may it be held against the load line. */
export function totalsOf(answer: CompactAnswer, calls: readonly LoadCall[]): Totals {
  const { tokensBefore, tokensAfter, origin } = answer;
  const hidden = hiddenOf(calls, answer);
  const outside = hidden.prefix + hidden.unattributed;
  return {
    before: tokensBefore + outside,
    after: tokensAfter + outside,
    freed: tokensBefore - tokensAfter,
    beforeOrigin: sentCall(calls, answer) === undefined ? origin : "reported",
  };
}

export type BarPart = { readonly category: Category; readonly tokens: number };

/** Before and after as bars in stacking order. What the parts do not make up is unattributed before, and the summary after. */
export function barsOf(answer: CompactAnswer, calls: readonly LoadCall[]): { before: BarPart[]; after: BarPart[] } {
  const hidden = hiddenOf(calls, answer);
  const parts = [...answer.whole, ...answer.summarised, ...answer.dropped];
  const rest = Math.max(0, answer.tokensBefore - sumOf(parts));
  return {
    before: stack(parts, { prefix: hidden.prefix, unattributed: hidden.unattributed + rest }),
    after: stack(answer.whole, { ...hidden, memory: summaryTokens(answer) }),
  };
}

function stack(parts: readonly Part[], more: Partial<Record<Category, number>>): BarPart[] {
  const sums = new Map<Category, number>(Object.entries(more) as [Category, number][]);
  for (const part of parts) {
    const category = categoryOf(part);
    sums.set(category, (sums.get(category) ?? 0) + part.tokens);
  }
  return CATEGORIES.flatMap((category) => {
    const tokens = sums.get(category) ?? 0;
    return tokens > 0 ? [{ category, tokens }] : [];
  });
}

export type Stretch = {
  readonly fate: Fate;
  /** Tokens before it. */
  readonly start: number;
  readonly tokens: number;
  readonly from: number;
  readonly to: number;
};

/** The context in its order, neighbours of one fate as one stretch. */
export function stripOf({ whole, summarised, dropped }: CompactAnswer): Stretch[] {
  const all = [
    ...whole.map((part) => ({ part, fate: "kept" as const })),
    ...summarised.map((part) => ({ part, fate: "summarised" as const })),
    ...dropped.map((part) => ({ part, fate: "dropped" as const })),
  ].toSorted((a, b) => a.part.seq - b.part.seq);
  const strip: Stretch[] = [];
  for (const { part, fate } of all) {
    const last = strip.at(-1);
    if (last?.fate === fate) strip[strip.length - 1] = { ...last, tokens: last.tokens + part.tokens, to: part.seq };
    else
      strip.push({
        fate,
        start: last === undefined ? 0 : last.start + last.tokens,
        tokens: part.tokens,
        from: part.seq,
        to: part.seq,
      });
  }
  return strip;
}

export const stretchWords = ({ fate, tokens, from, to }: Stretch): string =>
  `${fate}: ${from === to ? `event ${from}` : `events ${from} to ${to}`}, ${formatTokens(tokens)} tokens`;

export const EVIDENCE: readonly { readonly key: keyof CompactAnswer["kept"]; readonly name: string }[] = [
  { key: "files", name: "Files" },
  { key: "commands", name: "Commands" },
  { key: "errors", name: "Errors" },
  { key: "userMessages", name: "User messages" },
  { key: "decisions", name: "Decisions" },
];

export function evidenceTotal(kept: CompactAnswer["kept"]): { readonly kept: number; readonly total: number } {
  const all = Object.values(kept);
  return {
    kept: all.reduce((sum, one) => sum + one.kept, 0),
    total: all.reduce((sum, one) => sum + one.total, 0),
  };
}

export type SummarySection = {
  readonly heading: string | null;
  readonly lines: CompactAnswer["lines"];
};

/** A line as it reads beside its links: without the mark of a list, and without the reference that the links give. */
export function shownLine({ text, seqs }: CompactAnswer["lines"][number]): string {
  const bare = text.replace(/^\s*[-*]\s+/u, "");
  const reference = /\s*\[event (\d{1,9})\]$/u.exec(bare);
  return reference !== null && seqs.includes(Number(reference[1])) ? bare.slice(0, reference.index) : bare;
}

/** Lines under the headings of the summary (`## Files`); empty ones are left out. */
export function summarySections(lines: CompactAnswer["lines"]): readonly SummarySection[] {
  const sections: { heading: string | null; lines: CompactAnswer["lines"] }[] = [{ heading: null, lines: [] }];
  for (const line of lines) {
    const heading = line.seqs.length === 0 ? /^#{1,4}\s+(.*)$/u.exec(line.text)?.[1] : undefined;
    if (heading !== undefined) sections.push({ heading, lines: [] });
    else if (line.text.trim() !== "") sections.at(-1)?.lines.push(line);
  }
  return sections.filter((section) => section.lines.length > 0 || section.heading !== null);
}
