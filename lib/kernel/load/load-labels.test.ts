import { expect, test } from "vitest";
import { spendWords } from "./cost-words.ts";
import { leastUsd } from "./load-labels.ts";

test("a cost that is not whole is a lower bound, and none where no price is known", () => {
  const partly = [null, 0, 0.004, 0.74, 1204.4].map((usd) => leastUsd(usd, true));
  expect(partly).toEqual([null, null, "> $0.00", "≥ $0.74", "≥ $1,204"]);
  expect([null, 0, 0.004, 0.74].map((usd) => leastUsd(usd, false))).toEqual([null, "$0.00", "<$0.01", "$0.74"]);
  expect(spendWords({ usd: 0, atLeast: ["2 of 2 calls have no price (odd-1)."] })).toBeNull();
});
