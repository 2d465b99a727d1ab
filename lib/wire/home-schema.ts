// What the first page answers: this week's spend, what of it was avoidable, and what wastes most.
import { z } from "zod";
import { budgetRow } from "./budgets-schema.ts";

export const HOME_GROUPS = ["project", "model", "agent"] as const;

export const homeQuery = z.object({ by: z.enum(HOME_GROUPS).default("project") });
export type HomeRequest = z.infer<typeof homeQuery>;

const dollars = z.object({ usd: z.number(), isPartial: z.boolean() });

export const homeAnswer = z.object({
  /** First and last local day of the week that is shown. */
  since: z.string(),
  until: z.string(),
  /** No call was made in the last seven days: the week is that of the last call. */
  isOld: z.boolean(),
  /** What bars by day and group are made of. Of the rows of `/api/usage` no more, so that the first page stays light. */
  days: z.array(
    z.object({
      date: z.string().optional(),
      group: z.string().optional(),
      totalCost: z.number(),
      totalTokens: z.number(),
      isPartial: z.boolean(),
    }),
  ),
  calls: z.number(),
  spent: dollars,
  /** The seven days before. */
  before: dollars,
  /** What the cures of this week's findings would have saved; never more than was spent. */
  avoidable: dollars,
  /** The most expensive open ones of all time. */
  findings: z.array(
    // Of the rows of `/api/findings`.
    z.object({
      id: z.string(),
      kind: z.string(),
      detector: z.string(),
      subject: z.string(),
      fix: z.string(),
      count: z.number(),
      usd: z.number().nullable(),
      isPartial: z.boolean(),
    }),
  ),
  /** Those that are near their end, or over it. */
  budgets: z.array(budgetRow),
  findingsTotal: z.number(),
  /** Done, and seen again. */
  cameBack: z.number(),
  /** Sessions whose findings are not known yet. */
  waiting: z.number(),
});
export type HomeAnswer = z.infer<typeof homeAnswer>;
export type HomeFinding = HomeAnswer["findings"][number];
