// Which interactions the Tools tab shows, and in which order. Pure.
import type { InteractionRow, ToolsAnswer } from "#lib/wire/events.ts";

export type Choice = {
  readonly show: "all" | "pending" | "error" | "orphan" | "repeated";
  readonly tool: string | null;
  readonly sort: "order" | "duration" | "bytes" | "tokens" | "resident" | "lifetime";
};

export function chosenRows(rows: readonly InteractionRow[], { show, tool, sort }: Choice): InteractionRow[] {
  const kept = rows.filter((row) => (tool === null || row.toolName === tool) && fits(row, show));
  if (sort === "order") return kept;
  return kept.toSorted((a, b) => weight(b, sort) - weight(a, sort) || seqOf(a) - seqOf(b));
}

export function countsOf(rows: readonly InteractionRow[]): Record<Choice["show"], number> {
  const count = (show: Choice["show"]) => rows.filter((row) => fits(row, show)).length;
  return {
    all: rows.length,
    pending: count("pending"),
    error: count("error"),
    orphan: count("orphan"),
    repeated: count("repeated"),
  };
}

/** Tools, the one that weighed most first. */
export const rankedTotals = (totals: ToolsAnswer["totals"]): ToolsAnswer["totals"] =>
  totals.toSorted((a, b) => b.lifetimeTokens - a.lifetimeTokens || b.tokens - a.tokens);

function fits(row: InteractionRow, show: Choice["show"]): boolean {
  if (show === "all") return true;
  return show === "repeated" ? row.repeats > 1 : row.status === show;
}

const seqOf = (row: InteractionRow): number => row.callSeq ?? row.resultSeq ?? 0;

function weight(row: InteractionRow, sort: Exclude<Choice["sort"], "order">): number {
  if (sort === "duration") return row.durationMs ?? -1;
  if (sort === "resident") return row.callsResident ?? -1;
  if (sort === "lifetime") return row.lifetimeTokens ?? -1;
  return row[sort];
}
