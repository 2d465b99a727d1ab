import { expect, test } from "vitest";
import { NO_USAGE } from "../draft.ts";
import { completeRates, freshRate, inputUsd, tailRate, usageUsd } from "./rates.ts";

// $5 a million, $0.50 read, $6.25 for five minutes, $10 for an hour, $25 out.
const RATES = completeRates({ uncached: 5e-6, read: 0.5e-6, write: 6.25e-6, output: 25e-6 });
const call = { uncached: 1000, cacheRead: 10_000, cacheWrite: 4000, cacheWrite1h: 3000 };

test("five minutes and an hour are billed apart", () => {
  // 0.005 + 0.005 + 1000 × 6.25e-6 + 3000 × 10e-6
  expect(inputUsd(call, RATES)).toBeCloseTo(0.04625, 12);
  expect(inputUsd({ ...call, cacheWrite1h: 0 }, RATES)).toBeCloseTo(0.035, 12);
  expect(inputUsd({ ...call, cacheWrite1h: 4000 }, RATES)).toBeCloseTo(0.05, 12);
});

test("a call is its input, its output and its web searches; reasoning is inside output", () => {
  const usage = { ...NO_USAGE, inputUncached: 1000, output: 200, reasoning: 150, webSearches: 2 };
  expect(usageUsd(usage, RATES)).toBeCloseTo(0.005 + 0.005 + 0.02, 12);
});

test("a token that was written cost what the writes of its call did on average", () => {
  // (1000 × 6.25 + 3000 × 10) / 4000 = 9.0625
  expect(freshRate(call, RATES)).toBeCloseTo(9.0625e-6, 12);
  expect(freshRate({ ...call, cacheWrite: 0, cacheWrite1h: 0 }, RATES)).toBe(5e-6);
  // (1000 × 5 + 4000 × 9.0625) / 5000
  expect(tailRate(call, RATES)).toBeCloseTo(8.25e-6, 12);
});
