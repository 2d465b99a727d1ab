// What a person wants to spend at most, and how near they are to it. Dollars are those of the report of usage.
import { dollars, leastUsd, percent } from "./load-labels.ts";

/** `total`: all that a project has cost since its first call. */
export const BUDGET_PERIODS = ["day", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const BUDGET_STATES = ["under", "near", "over"] as const;
export type BudgetState = (typeof BUDGET_STATES)[number];

/** Share of a budget from which it is said. */
export const BUDGET_NEAR = 0.8;

export const budgetState = (share: number): BudgetState =>
  share >= 1 ? "over" : share >= BUDGET_NEAR ? "near" : "under";

const WHEN: Readonly<Record<BudgetPeriod, string>> = { day: "today", month: "this month", total: "in total" };

type Spent = {
  readonly period: BudgetPeriod;
  readonly limitUsd: number;
  readonly usd: number;
  readonly isPartial: boolean;
  readonly share: number;
};

/** `$8.20 of $10.00 today, 82 %`. */
export const budgetWords = ({ period, limitUsd, usd, isPartial, share }: Spent): string =>
  `${leastUsd(usd, isPartial) ?? "–"} of ${dollars(limitUsd)} ${WHEN[period]}, ${percent(share)}`;
