// Budgets as a terminal shows them.
import { budgetWords } from "#lib/kernel/load/budgets.ts";
import { dollars, leastUsd, percent } from "#lib/kernel/load/load-labels.ts";
import type { BudgetRow } from "#lib/wire/budgets-schema.ts";
import { oneLine, table } from "./print.ts";

const projectOf = ({ project }: BudgetRow): string => (project === null ? "all projects" : oneLine(project, 60));

/** Those that are near their end or over it, a line each. */
export function printStrained(budgets: readonly BudgetRow[]): void {
  for (const row of budgets)
    if (row.state !== "under")
      console.log(`${row.state === "over" ? "Over budget" : "Near budget"}, ${projectOf(row)}: ${budgetWords(row)}.`);
}

export const budgetTable = (budgets: readonly BudgetRow[]): string =>
  table(
    ["per", "budget", "spent", "used", "state", "project"],
    budgets.map((row) => [
      ...[row.period, dollars(row.limitUsd), leastUsd(row.usd, row.isPartial) ?? "–", percent(row.share)],
      ...[row.state, projectOf(row)],
    ]),
    new Set([0, 4, 5]),
  );
