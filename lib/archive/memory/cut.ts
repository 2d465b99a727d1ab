// What a compaction of a session may take: whole turns beyond the tail, then settled steps, with the summary that stood
// there before. Instructions stay, whatever is cut.
import { categoryOf } from "#lib/kernel/load/weigh.ts";
import { byTurn, interactionBlocks } from "#lib/kernel/memory/message-blocks.ts";
import { planCompaction } from "#lib/kernel/memory/plan.ts";
import type { CompactionUnit, RawTrace } from "#lib/kernel/memory/memory-types.ts";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { presentTokens, type ContextLog, type ContextRow } from "./context-rows.ts";
import { tracesOf, type EventTrace, type TraceOptions } from "./traces.ts";

export type Cut = {
  readonly unit: CompactionUnit;
  readonly turns: readonly number[];
  /** Rows that leave, in the order of the context; the earlier summary among them. */
  readonly rows: readonly ContextRow[];
  /** Rows that stay. */
  readonly whole: readonly ContextRow[];
  readonly traces: readonly EventTrace[];
  readonly tailTraces: readonly EventTrace[];
};

export type CutOptions = TraceOptions & {
  /** Turns at the end that stay whole; with 0 the settled steps of the last one go too. */
  readonly tail: number;
  /** The context is over its budget: from `over` tokens on steps of the tail go too, oldest first, until `under` are left. */
  readonly tight: { readonly over: number; readonly under: number } | null;
};

export type Planned = { readonly cut: Cut; readonly reason: null } | { readonly cut: null; readonly reason: string };

/** True for what a client sends with every request: it is no part of the conversation. */
const isInstruction = ({ body }: ContextRow): boolean =>
  body.type === "system" || (body.type === "meta" && body.sent === "prefix");

export const isSummary = ({ body }: ContextRow): boolean =>
  body.type === "compaction" || (body.type === "user" && body.injected === "summary");

export function cutOf({ rows }: ContextLog, options: CutOptions): Planned {
  const summaries = rows.filter(isSummary);
  const traces = tracesOf(
    rows.filter((row) => !isInstruction(row) && !isSummary(row)),
    options,
  );
  const { unit, taken, reason } = takenOf(rows, traces, options);
  if (taken.size === 0) return { cut: null, reason };
  const seqs = new Set(
    traces.flatMap((trace) => (taken.has(trace) && trace.eventSeq !== null ? [trace.eventSeq] : [])),
  );
  const leaves = new Set([...summaries, ...rows.filter(({ seq }) => seqs.has(seq))]);
  const cutRows = rows.filter((row) => leaves.has(row));
  return {
    cut: {
      unit,
      turns: [...new Set(cutRows.filter((row) => !isSummary(row)).map(({ turn }) => turn))].toSorted((a, b) => a - b),
      rows: cutRows,
      whole: rows.filter((row) => !leaves.has(row)),
      traces: traces.filter((trace) => taken.has(trace)),
      tailTraces: traces.filter((trace) => !taken.has(trace)),
    },
    reason: null,
  };
}

type Taken = { readonly unit: CompactionUnit; readonly taken: ReadonlySet<RawTrace>; readonly reason: string };

function takenOf(rows: readonly ContextRow[], traces: readonly EventTrace[], { tail, tight }: CutOptions): Taken {
  const first = planCompaction(traces, { tailTurns: tail, allowBlocks: tail === 0 });
  const turns = byTurn(traces).size;
  const reason =
    turns === 0
      ? "There is no turn in this context yet."
      : turns <= tail
        ? `The context has ${turns} ${turns === 1 ? "turn" : "turns"}, and the last ${tail} stay whole. Keep fewer turns.`
        : (first.reason ?? "").replaceAll(/([Tt]urn) turn_0*(?=\d)/g, "$1 ");
  const taken = new Set<RawTrace>(first.plan?.traces);
  const unit = first.plan?.unit ?? "block";
  if (tight === null || (unit === "block" && taken.size > 0)) return { unit, taken, reason };
  const tokens = new Map(rows.map((row) => [row.seq, presentTokens(row)]));
  const sizeOf = (trace: EventTrace): number => (trace.eventSeq === null ? 0 : (tokens.get(trace.eventSeq) ?? 0));
  const rest = traces.filter((trace) => !taken.has(trace));
  let left = rest.reduce((sum, trace) => sum + sizeOf(trace), 0);
  if (left <= tight.over) return { unit, taken, reason };
  const more = planCompaction(rest, { tailTurns: Number.POSITIVE_INFINITY, allowBlocks: true }).plan;
  if (more === null) return { unit, taken, reason };
  const settled = new Set<RawTrace>(more.traces);
  let waiting: RawTrace[] = [];
  for (const block of interactionBlocks(rest)) {
    if (left <= tight.under || !block.traces.every((trace) => settled.has(trace))) break;
    waiting.push(...block.traces);
    left -= block.traces.reduce((sum, trace) => sum + sizeOf(trace as EventTrace), 0);
    // A step that is answered in a later one leaves together with that one.
    if (!block.isComplete) continue;
    for (const trace of waiting) taken.add(trace);
    waiting = [];
  }
  return { unit: "block", taken, reason };
}

/** A row of the ledger. */
export const partOf = (row: ContextRow): CompactAnswer["whole"][number] => ({
  seq: row.seq,
  kind: isSummary(row) ? "summary" : row.body.type,
  category: categoryOf(row.body),
  label: row.label,
  tokens: presentTokens(row),
});
