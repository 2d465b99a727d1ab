// Budgets: what may be spent in a day or a month, or by a project, and what was spent of it.
import { z } from "zod";
import { BUDGET_PERIODS, BUDGET_STATES } from "#lib/kernel/load/budgets.ts";

/** One budget of a period and project; another one of the same takes its place. */
export const budgetRequest = z
  .strictObject({
    period: z.enum(BUDGET_PERIODS),
    /** The folder, as `by=project` names it; null: all projects. */
    project: z.string().min(1).max(4000).nullable().default(null),
    /** Null removes it. */
    limitUsd: z.number().positive().max(1_000_000_000).nullable(),
  })
  .refine(({ period, project }) => period !== "total" || project !== null, {
    path: ["project"],
    message: "A total is of one project: name its folder.",
  });
export type BudgetRequest = z.infer<typeof budgetRequest>;

export const budgetRow = z.object({
  period: z.enum(BUDGET_PERIODS),
  project: z.string().nullable(),
  limitUsd: z.number(),
  /** First local day that counts; null of a total. */
  since: z.string().nullable(),
  /** Spent since then, as `/api/usage` sums it. */
  usd: z.number(),
  /** The true cost is more. */
  isPartial: z.boolean(),
  /** Of the budget, 0 to 1 and beyond. */
  share: z.number(),
  /** `near` from 80 %, `over` from 100 %. */
  state: z.enum(BUDGET_STATES),
});
export type BudgetRow = z.infer<typeof budgetRow>;

export const budgetsAnswer = z.object({ budgets: z.array(budgetRow) });
export type BudgetsAnswer = z.infer<typeof budgetsAnswer>;
