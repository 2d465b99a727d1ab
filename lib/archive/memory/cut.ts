// What a compaction of a session may take: whole turns beyond the tail, then settled steps, with the summary that stood
// there before. Instructions stay, whatever is cut.
import { categoryOf } from "#lib/kernel/load/weigh.ts";
import { byTurn } from "#lib/kernel/memory/message-blocks.ts";
import type { CompactionPlan, RawTrace } from "#lib/kernel/memory/memory-types.ts";
import { planCompaction, type Planned } from "#lib/kernel/memory/plan.ts";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { presentTokens, type ContextRow } from "./context-rows.ts";
import { tracesOf, turnIdOf, type EventTrace, type TraceOptions } from "./traces.ts";

export type Cut = {
  readonly turns: readonly number[];
  /** Rows that leave, in the order of the context; the earlier summary among them. */
  readonly rows: readonly ContextRow[];
  /** Rows that stay. */
  readonly whole: readonly ContextRow[];
  readonly traces: readonly EventTrace[];
  readonly tailTraces: readonly EventTrace[];
};

export type CutOptions = {
  /** Turns at the end that stay whole; with 0 the settled steps of the last one go too. */
  readonly tail: number;
  /** The context is over its budget: from `over` tokens on steps of the tail go too, oldest first, until `under` are left. */
  readonly tight: { readonly over: number; readonly under: number };
};

/** True for what a client sends with every request: it is no part of the conversation. */
const isInstruction = ({ body }: ContextRow): boolean => categoryOf(body) === "prefix";

export const isSummary = ({ body }: ContextRow): boolean =>
  body.type === "compaction" || (body.type === "user" && body.injected === "summary");

/** What of a context may be cut at all. */
export const cutTraces = (rows: readonly ContextRow[], options: TraceOptions): EventTrace[] =>
  tracesOf(
    rows.filter((row) => !isInstruction(row) && !isSummary(row)),
    options,
  );

/** What is cut when `plan` is: of the traces their events, and each summary that stood there before. */
export function cutOf(
  rows: readonly ContextRow[],
  traces: readonly EventTrace[],
  { traces: planned }: Pick<CompactionPlan, "traces">,
): Cut {
  const taken = new Set(planned);
  const seqs = new Set(traces.flatMap((trace) => (taken.has(trace) ? (trace.eventSeq ?? []) : [])));
  const leaves = (row: ContextRow): boolean => isSummary(row) || seqs.has(row.seq);
  const cutRows = rows.filter(leaves);
  return {
    turns: [...new Set(cutRows.filter((row) => !isSummary(row)).map(({ turn }) => turn))].toSorted((a, b) => a - b),
    rows: cutRows,
    whole: rows.filter((row) => !leaves(row)),
    traces: traces.filter((trace) => taken.has(trace)),
    tailTraces: traces.filter((trace) => !taken.has(trace)),
  };
}

/** The planner of a session: its budget is that of the whole context, in which the turn under way counts like any other. */
export function planOfContext(
  rows: readonly ContextRow[],
  traces: readonly EventTrace[],
  { tail, tight }: CutOptions,
): Planned {
  const tokens = new Map(rows.map((row) => [row.seq, presentTokens(row)]));
  const sizes = new Map<RawTrace, number>(
    traces.map((trace) => [trace, trace.eventSeq === null ? 0 : (tokens.get(trace.eventSeq) ?? 0)]),
  );
  const names = new Map(rows.map(({ turn }) => [turnIdOf(turn), String(turn)]));
  const planned = planCompaction(traces, {
    tailTurns: tail,
    allowBlocks: tail === 0,
    tight: { ...tight, tokensOf: (trace) => sizes.get(trace) ?? 0 },
    turnName: (turnId) => names.get(turnId) ?? turnId,
  });
  if (planned.plan !== null) return planned;
  const turns = byTurn(traces).size;
  if (turns === 0) return { plan: null, reason: "This context has no turn yet." };
  const held = `The context has ${turns} ${turns === 1 ? "turn" : "turns"}, and the last ${tail} stay whole.`;
  return turns <= tail ? { plan: null, reason: `${held} Keep fewer turns.` } : planned;
}

/** A row of the ledger. */
export const partOf = (row: ContextRow): CompactAnswer["whole"][number] => ({
  seq: row.seq,
  kind: isSummary(row) ? "summary" : row.body.type,
  category: categoryOf(row.body),
  label: row.label,
  tokens: presentTokens(row),
});
