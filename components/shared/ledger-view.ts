// What the Load tab reads out of a session's ledger: who stood in a prompt, how it grew, what is worst, who is to blame.
// Pure: call numbers are those of the log, as the answer has them.
import type { Origin } from "#lib/wire/common-schema.ts";
import { isNamedPart } from "#lib/kernel/request-records.ts";
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import type { BlowUp, CulpritRow, ItemKind, LedgerAnswer, LedgerItemRow } from "#lib/wire/ledger-schema.ts";

/** The largest ten of an epoch are 58 % of what it sends again beside the prefix: the rest is one step. */
const STEPS = 10;

const isIn = (item: LedgerItemRow, call: number): boolean =>
  item.enteredAt <= call && (item.leftAt === null || item.leftAt > call);

/** What stood in the prompt of a call, largest first. */
export function residentsAt(answer: LedgerAnswer, call: number): LedgerItemRow[] {
  return answer.items.filter((item) => isIn(item, call)).toSorted((a, b) => b.tokens - a.tokens);
}

export type Step = {
  readonly kind: ItemKind;
  readonly label: string;
  readonly tool: string | null;
  /** Null for what is not in the file, and for many together. */
  readonly item: LedgerItemRow | null;
  readonly call: number | null;
  readonly tokens: number;
  readonly origin: Origin;
};

/** How the prompt of a call came to its size since its epoch began: the steps sum to it. */
export function waterfallAt(answer: LedgerAnswer, call: number): Step[] {
  const all = residentsAt(answer, call);
  const named = all.filter((item) => item.kind !== "prefix" && item.kind !== "unattributed");
  const largest = named.slice(0, STEPS).toSorted((a, b) => a.enteredAt - b.enteredAt || (a.seq ?? 0) - (b.seq ?? 0));
  const steps: Step[] = all.filter((item) => item.kind === "prefix").map(stepOf);
  steps.push(...largest.map(stepOf));
  const rest = named.slice(STEPS);
  if (rest.length > 0)
    steps.push({
      kind: "assistant",
      label: `${rest.length} smaller ${rest.length === 1 ? "item" : "items"}`,
      tool: null,
      item: null,
      call: null,
      tokens: sumOf(rest),
      origin: leastKnown(rest.map(({ origin }) => origin)),
    });
  const unattributed = all.filter((item) => item.kind === "unattributed");
  if (unattributed.length > 0)
    steps.push({
      kind: "unattributed",
      label: "Unattributed",
      tool: null,
      item: null,
      call: null,
      tokens: sumOf(unattributed),
      origin: leastKnown(unattributed.map(({ origin }) => origin)),
    });
  return steps;
}

export type StepBar = { readonly step: Step; readonly from: number; readonly to: number };

/** Each step starts where the one before ended; one that takes away goes back. */
export function barsOf(steps: readonly Step[]): {
  readonly bars: readonly StepBar[];
  readonly prompt: number;
  /** Steps may go over the prompt where something was taken out at the end. */
  readonly highest: number;
} {
  const bars: StepBar[] = [];
  let prompt = 0;
  let highest = 0;
  for (const step of steps) {
    const to = prompt + step.tokens;
    bars.push({ step, from: Math.min(prompt, to), to: Math.max(prompt, to) });
    prompt = to;
    highest = Math.max(highest, to);
  }
  return { bars, prompt, highest };
}

function stepOf(item: LedgerItemRow): Step {
  const { kind, label, tool, enteredAt, tokens } = item;
  return { kind, label, tool, item, call: enteredAt, tokens, origin: item.origin };
}

const sumOf = (items: readonly LedgerItemRow[]): number => items.reduce((sum, item) => sum + item.tokens, 0);

/** How a culprit's tokens are known: as its least known part. */
export function culpritOrigin(culprit: CulpritRow, bySeq: ReadonlyMap<number, LedgerItemRow>): Origin {
  const parts = culprit.seqs.map((seq) => bySeq.get(seq)).filter((item) => item !== undefined);
  if (parts.length === 0) return culprit.grade === "exact" ? "reported" : "estimated";
  return leastKnown(parts.map(({ origin }) => origin));
}

export function itemsBySeq(answer: LedgerAnswer): ReadonlyMap<number, LedgerItemRow> {
  return new Map(answer.items.flatMap((item) => (item.seq === null ? [] : [[item.seq, item] as const])));
}

/** Where Load opens: the call that the verdict begins with, which is the fullest where nothing worse happened. */
export const openingCall = ({ verdictClauses, worst }: Pick<LedgerAnswer, "verdictClauses" | "worst">): number | null =>
  verdictClauses.find(({ call }) => call !== null)?.call ?? worst;

/** The next call in trouble, or the one before; after the last comes the first. */
export function nextBlowUp(blowUps: readonly Pick<BlowUp, "call">[], call: number, by: 1 | -1): number | null {
  const calls = [...new Set(blowUps.map((blowUp) => blowUp.call))].toSorted((a, b) => (a - b) * by);
  return calls.find((other) => (other - call) * by > 0) ?? calls[0] ?? null;
}

/** Names a culprit in the URL. */
export const keyOf = ({ detector, seq, fromCall }: CulpritRow): string => `${detector}.${seq ?? `c${fromCall}`}`;

export type CulpritSort = "cost" | "peak";

/** By what could have been avoided, in dollars or in tokens of the fullest prompt. Without prices tokens stand for dollars. */
export function rankCulprits(culprits: readonly CulpritRow[], by: CulpritSort): readonly CulpritRow[] {
  const priced = culprits.every((culprit) => culprit.avoidableUsd !== null);
  const worth = (culprit: CulpritRow): number =>
    by === "peak" ? culprit.offPeak : priced ? (culprit.avoidableUsd ?? 0) : culprit.avoidableTokens;
  return culprits.toSorted((a, b) => worth(b) - worth(a) || b.lifetimeTokens - a.lifetimeTokens);
}

export type LeftOver = {
  readonly kind: "prefix" | "unattributed";
  readonly label: string;
  readonly hint: string;
  /** It came in after the session's first call: a part of the prefix that was attached again. */
  readonly again: boolean;
  readonly fromCall: number;
  /** The most of it in one prompt. */
  readonly tokens: number;
  /** As its least known part. */
  readonly origin: Origin;
  readonly calls: number;
  readonly lifetimeTokens: number;
  readonly lifetimeUsd: number | null;
};

/** What stands in no file: the hidden prefix, what an agent attached again after a compaction, what came in unseen. */
export function leftOvers(answer: LedgerAnswer): LeftOver[] {
  const groups = new Map<string, LedgerItemRow[]>();
  for (const item of answer.items) {
    if (item.seq !== null || (item.kind !== "prefix" && item.kind !== "unattributed")) continue;
    if (isNamedPart(item.label)) continue;
    // The parts of one prefix are told apart by their words; tokens that came and went unseen are one thing.
    const key = item.kind === "prefix" ? item.label : "Unattributed";
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  const indexOf = new Map(answer.calls.map(({ call }, i) => [call, i]));
  const rows = [...groups].map(([label, items]): LeftOver => {
    const kind = items[0]?.kind === "prefix" ? "prefix" : "unattributed";
    const usd = items.map((item) => item.lifetimeUsd);
    const from = items.reduce((first, { enteredAt }) => Math.min(first, enteredAt), Number.POSITIVE_INFINITY);
    const at = runningSums(items, indexOf);
    return {
      kind,
      label,
      hint: kind === "prefix" ? "Not in the file, not itemised" : "Not explained by the log",
      again: kind === "prefix" && from > (answer.calls[0]?.call ?? 0),
      fromCall: from,
      tokens: at.reduce((most, tokens) => (Math.abs(tokens) > Math.abs(most) ? tokens : most), 0),
      origin: leastKnown(items.map(({ origin }) => origin)),
      calls: at.filter((tokens) => tokens !== 0).length,
      lifetimeTokens: items.reduce((sum, item) => sum + item.lifetimeTokens, 0),
      lifetimeUsd: usd.some((one) => one === null) ? null : usd.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    };
  });
  const order = ({ kind, again }: LeftOver): number => (kind === "unattributed" ? 2 : Number(again));
  return rows.toSorted((a, b) => order(a) - order(b));
}

/** Tokens of these items in the prompt of each call. One pass: 5,000 calls may have as many items that nobody saw. */
function runningSums(items: readonly LedgerItemRow[], indexOf: ReadonlyMap<number, number>): number[] {
  const steps = Array.from({ length: indexOf.size }, () => 0);
  for (const { enteredAt, leftAt, tokens } of items) {
    const from = indexOf.get(enteredAt);
    const to = leftAt === null ? undefined : indexOf.get(leftAt);
    if (from !== undefined) steps[from] = (steps[from] ?? 0) + tokens;
    if (to !== undefined) steps[to] = (steps[to] ?? 0) - tokens;
  }
  let sum = 0;
  return steps.map((step) => (sum += step));
}

/** A label without the tool's name, which has its own column. */
export function withoutTool(label: string, tool: string | null): string {
  if (tool === null || !label.startsWith(tool)) return label;
  return label === tool ? "" : label.startsWith(`${tool} `) ? label.slice(tool.length + 1) : label;
}
