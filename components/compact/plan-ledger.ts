// The rows of a compaction's ledger, from the answer of its dry run. Pure.
import type { Origin } from "#lib/wire/common-schema.ts";
import type { LoadCall } from "#lib/wire/load-schema.ts";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import type { Hidden } from "#lib/wire/outside-messages.ts";
import { formatCount } from "../ui/format.ts";
import { hiddenOf, summaryTokens, sumOf, turnAt, type Fate, type Part, type Turn } from "./compact-view.ts";

export type LedgerRow = {
  readonly key: string;
  readonly turn: string;
  readonly label: string;
  readonly events: number | null;
  readonly before: number | null;
  readonly after: number | null;
  readonly beforeOrigin: Origin;
  readonly afterOrigin: Origin;
  readonly where: string;
  /** First event, where there is one to go to. */
  readonly seq: number | null;
};

export type LedgerGroup = {
  readonly fate: Fate;
  readonly note: string;
  readonly rows: readonly LedgerRow[];
};

/** Named singly among the dropped; the rest of a turn stands in one row. */
const SINGLY = 5;

export function ledgerGroups(
  answer: CompactAnswer,
  turns: readonly Turn[],
  calls: readonly LoadCall[],
): readonly LedgerGroup[] {
  const hidden = hiddenOf(calls, answer);
  const { whole, summarised, dropped, origin } = answer;
  const kept: LedgerRow[] = [];
  const outside = [
    { key: "prefix", label: "System prompt and tools", tokens: hidden.prefix },
    { key: "unattributed", label: "Unattributed, as the provider counted it", tokens: hidden.unattributed },
  ];
  for (const { key, label, tokens } of outside)
    if (tokens > 0)
      kept.push({
        key,
        turn: "",
        label,
        events: null,
        before: tokens,
        after: tokens,
        // Differences to the messages, and known as those are.
        beforeOrigin: origin,
        afterOrigin: origin,
        where: "not in the log",
        seq: null,
      });
  if (summarised.length > 0)
    kept.push({
      key: "summary",
      turn: "",
      label: "The summary and its memory",
      events: null,
      before: null,
      after: summaryTokens(answer),
      beforeOrigin: origin,
      afterOrigin: "estimated",
      where: "memory",
      seq: null,
    });
  const stays = byTurn(whole, turns).map((row) => ({
    ...row,
    after: row.before,
    beforeOrigin: origin,
    afterOrigin: origin,
    where: "in the context",
  }));
  const heaviest = new Set(dropped.toSorted((a, b) => b.tokens - a.tokens).slice(0, SINGLY));
  const singly = [...heaviest].map((part): LedgerRow => {
    const turn = turnAt(turns, part.seq);
    return {
      key: `part ${part.seq}`,
      turn: turn === null ? "" : String(turn.turn),
      label: part.label,
      events: 1,
      before: part.tokens,
      after: null,
      beforeOrigin: origin,
      afterOrigin: origin,
      where: "in the log",
      seq: part.seq,
    };
  });
  const others = byTurn(
    dropped.filter((part) => !heaviest.has(part)),
    turns,
    "More of ",
  );
  const groups: LedgerGroup[] = [
    { fate: "kept", note: keptNote(stays.length, hidden, summarised.length > 0), rows: [...kept, ...stays] },
    {
      fate: "summarised",
      note: `${formatCount(summarised.length, "event")} covered by the summary`,
      rows: byTurn(summarised, turns).map((row) => ({ ...row, beforeOrigin: origin, where: "in the summary" })),
    },
    {
      fate: "dropped",
      note: "all of it stays in the log",
      rows: [...singly, ...others.map((row) => ({ ...row, beforeOrigin: origin, where: "in the log" }))],
    },
  ];
  return groups.filter(({ rows }) => rows.length > 0);
}

function keptNote(turns: number, { prefix }: Hidden, hasSummary: boolean): string {
  const words = [turns > 0 ? formatCount(turns, "turn") : "no turn"];
  if (prefix > 0) words.push("the prefix");
  if (hasSummary) words.push("the summary");
  return words.length === 1 ? (words[0] as string) : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** One row a turn, the newest first. */
function byTurn(parts: readonly Part[], turns: readonly Turn[], words = ""): LedgerRow[] {
  const rows = new Map<number, { turn: Turn | null; parts: Part[] }>();
  for (const part of parts) {
    const turn = turnAt(turns, part.seq);
    const number = turn?.turn ?? 0;
    const row = rows.get(number) ?? { turn, parts: [] };
    row.parts.push(part);
    rows.set(number, row);
  }
  return [...rows]
    .toSorted(([a], [b]) => b - a)
    .map(([number, { turn, parts: own }]) => ({
      key: `${words}turn ${number}`,
      turn: turn === null ? "" : String(number),
      label: `${words}${turn === null || turn.title === "" ? beforeAnyTurn(number) : turn.title}`,
      events: own.length,
      before: sumOf(own),
      after: null,
      beforeOrigin: "estimated",
      afterOrigin: "estimated",
      where: "",
      seq: own[0]?.seq ?? null,
    }));
}

const beforeAnyTurn = (turn: number): string => (turn === 0 ? "Before the first turn" : `Turn ${turn}`);
