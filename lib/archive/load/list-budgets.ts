// What was spent of each budget: the sums of the report of usage, of its days and its project.
import { connect, type Connection } from "#db/connection.ts";
import { BUDGET_PERIODS, budgetState, type BudgetPeriod } from "#lib/kernel/load/budgets.ts";
import { localDay } from "#lib/kernel/load/usage-periods.ts";
import type { BudgetRow } from "#lib/wire/budgets-schema.ts";
import type { UsageAnswer } from "#lib/wire/usage-schema.ts";
import { readBudgets, type Budget } from "../base/budget-rows.ts";
import { sumUsage, usageReport, type TableRequest } from "./usage-report.ts";

/** Days first, then months, then totals; each with all projects before one. `now`: ms since 1970. */
export const listBudgets = (archive: Connection, now: number): BudgetRow[] =>
  rowsOf(archive, readBudgets(archive), now).toSorted(byPeriod);

/** The budget that is nearest to its end, of those that a session of this folder counts for; null while all are under. */
export function strainedBudget(archive: Connection, cwd: string | null, now: number): BudgetRow | null {
  const budgets = readBudgets(archive).filter(({ project }) => project === null || project === cwd);
  const rows = rowsOf(archive, budgets, now).filter(({ state }) => state !== "under");
  return rows.toSorted((a, b) => b.share - a.share)[0] ?? null;
}

/** The report of usage; where there are budgets, with what was spent of them. */
export async function usageWithBudgets(archive: Connection, request: TableRequest, now: number): Promise<UsageAnswer> {
  const answer = await usageReport(archive, request);
  const budgets = listBudgets(archive, now);
  return budgets.length === 0 ? answer : { ...answer, budgets };
}

/** Opens the archive in a folder for this one question; nothing of it is written. */
export async function usageOfFolder(dir: string, request: TableRequest, now: number): Promise<UsageAnswer> {
  const connection = connect(dir, "read");
  try {
    // It reads each page once: mapped, those of 56,000 calls take two thirds of the processor time of as many reads.
    connection.sqlite.pragma("mmap_size = 2000000000");
    return await usageWithBudgets(connection, request, now);
  } finally {
    connection.sqlite.close();
  }
}

/** The calls of a period are summed once, for all its budgets. */
function rowsOf(archive: Connection, budgets: readonly Budget[], now: number): BudgetRow[] {
  return [...Map.groupBy(budgets, ({ period }) => period)].flatMap(([period, own]) => {
    const { since, request } = spendRequest(period, now);
    const by = own.some(({ project }) => project !== null) ? ({ by: "project" } as const) : {};
    return spentOf(own, since, sumUsage(archive, { ...request, ...by }, false));
  });
}

/** What is asked of the report of usage for the budgets of a period, and its first day; null of a total. */
export function spendRequest(
  period: BudgetPeriod,
  now: number,
): { readonly since: string | null; readonly request: TableRequest } {
  const today = localDay(now);
  const since = period === "total" ? null : period === "day" ? today : `${today.slice(0, 7)}-01`;
  const days = since === null ? {} : { since, until: today };
  return { since, request: { period: "monthly", weekStart: "monday", ...days } };
}

/** What a report says of budgets: those of a project have the rows of its group. */
export const spentOf = (
  budgets: readonly Budget[],
  since: string | null,
  { totals, monthly }: Pick<UsageAnswer, "totals" | "monthly">,
): BudgetRow[] =>
  budgets.map(({ period, project, limitUsd }) => {
    const rows = project === null ? [totals] : monthly!.filter(({ group }) => group === project);
    const usd = rows.reduce((sum, { totalCost }) => sum + totalCost, 0);
    const share = usd / limitUsd;
    const isPartial = rows.some((row) => row.isPartial);
    return { period, project, limitUsd, since, usd, isPartial, share, state: budgetState(share) };
  });

export const byPeriod = (a: BudgetRow, b: BudgetRow): number =>
  BUDGET_PERIODS.indexOf(a.period) - BUDGET_PERIODS.indexOf(b.period) ||
  ((a.project ?? "") < (b.project ?? "") ? -1 : 1);
