// Sums by tool over rows of the interactions table: the answer carries them, and the page makes them of what it lists.
import { leastKnown } from "#lib/kernel/load/token-origin.ts";
import type { InteractionRow, ToolsAnswer } from "./events-schema.ts";

/** The tool that weighed most first. */
export function interactionTotals(rows: readonly InteractionRow[]): ToolsAnswer["totals"] {
  const totals = new Map<string, ToolsAnswer["totals"][number]>();
  for (const row of rows) {
    const total = totals.get(row.toolName) ?? {
      toolName: row.toolName,
      calls: 0,
      errors: 0,
      pending: 0,
      bytes: 0,
      tokens: 0,
      origin: "reported",
      durationMs: 0,
      lifetimeTokens: 0,
    };
    if (row.callSeq !== null) total.calls++;
    if (row.status === "error") total.errors++;
    if (row.status === "pending") total.pending++;
    total.bytes += row.bytes;
    total.tokens += row.tokens;
    total.durationMs += row.durationMs ?? 0;
    total.lifetimeTokens += row.lifetimeTokens ?? 0;
    if (row.resultSeq !== null) total.origin = leastKnown([total.origin, row.origin]);
    totals.set(row.toolName, total);
  }
  return [...totals.values()].toSorted((a, b) => b.lifetimeTokens - a.lifetimeTokens || b.calls - a.calls);
}
