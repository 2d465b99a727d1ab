import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_USAGE } from "../draft.ts";
import { BURN_MS, burnRate, type TimedCall } from "./burn-rate.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;

const call = (minutesAgo: number, prompt: number, output = 0): TimedCall => ({
  ts: NOW - minutesAgo * MINUTE,
  usage: { ...NO_USAGE, inputUncached: prompt / 2, cacheRead: prompt / 2, output },
  isLowerBound: false,
});

test("prompts and outputs of the last five minutes, per minute", () => {
  const calls = [call(6, 90_000), call(4, 20_000, 500), call(1, 29_000, 500)];
  expect(burnRate(calls, NOW, NOW - 60 * MINUTE)).toEqual({
    tokensPerMinute: 10_000,
    tokens: 50_000,
    calls: 2,
    minutes: 5,
    isLowerBound: false,
  });
});

test("a young session is divided by its age, of one minute at least", () => {
  expect(burnRate([call(1, 30_000)], NOW, NOW - 2 * MINUTE)?.tokensPerMinute).toBe(15_000);
  expect(burnRate([call(0, 30_000)], NOW, NOW - 1000)?.tokensPerMinute).toBe(30_000);
});

test("without a call in these minutes there is no rate", () => {
  expect(burnRate([], NOW, NOW)).toBeNull();
  expect(burnRate([call(5, 30_000)], NOW, null)).toBeNull();
});

test("calls of before change nothing, and no rate is over what the calls came to", () => {
  const plan = fc.record({ minutesAgo: fc.double({ min: 0, max: 20, noNaN: true }), prompt: fc.nat(1_000_000) });
  fc.assert(
    fc.property(fc.array(plan), fc.nat(60), (plans, age) => {
      const calls = plans.map(({ minutesAgo, prompt }) => call(minutesAgo, prompt));
      const recent = calls.filter(({ ts }) => ts > NOW - BURN_MS);
      const rate = burnRate(calls, NOW, NOW - age * MINUTE);
      expect(rate).toEqual(burnRate(recent, NOW, NOW - age * MINUTE));
      if (rate !== null) expect(rate.tokensPerMinute).toBeLessThanOrEqual(rate.tokens + 1);
    }),
  );
});
