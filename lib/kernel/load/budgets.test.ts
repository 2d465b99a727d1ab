// What a budget says in words, where the share of it is no everyday one.
import { expect, test } from "vitest";
import { budgetWords } from "./budgets.ts";

test("a share is a whole number that does not round up to the limit", () => {
  const of = (usd: number, limitUsd: number): string =>
    budgetWords({ period: "month", limitUsd, usd, isPartial: false, share: usd / limitUsd });
  expect([of(0, 20), of(0.05, 20), of(8.2, 10), of(9.96, 10), of(10, 10), of(343.33, 0.5)]).toEqual([
    "$0.00 of $20.00 this month, 0 %",
    "$0.05 of $20.00 this month, <1 %",
    "$8.20 of $10.00 this month, 82 %",
    "$9.96 of $10.00 this month, 99 %",
    "$10.00 of $10.00 this month, 100 %",
    "$343.33 of $0.50 this month, 68,666 %",
  ]);
});
