import fc from "fast-check";
import { expect, test } from "vitest";
import { fitBudget, planFit } from "./fit.ts";
import type { FitMessage } from "./fit.ts";

const user = (chars: number): FitMessage => ({ role: "user", chars });
const assistant = (chars: number): FitMessage => ({ role: "assistant", chars });
const result = (chars: number): FitMessage => ({ role: "tool", chars });

test("a window leaves room for the answer and a tenth for the error of the estimate", () => {
  // 8 % of 200,000 are 16,000; 8 % of 10,000 are under 1,200.
  expect(fitBudget(200_000)).toBe(165_600);
  expect(fitBudget(10_000)).toBe(7920);
  expect(fitBudget(10_000, 800)).toBe(7200);
});

test("characters are weighed at 3.6 a token where nothing was counted", () => {
  expect(planFit([user(36)], 200_000).keptTokens).toBe(10);
  expect(planFit([{ ...user(36), tokens: 99 }], 200_000).keptTokens).toBe(99);
});

test("each plan says why it is as it is", () => {
  const small = [user(3600), assistant(3600), user(3600)];
  expect(planFit([], 200_000)).toMatchObject({ reason: "empty", keepFrom: 0, keptTokens: 0 });
  expect(planFit(small, 1200)).toMatchObject({ reason: "invalid-budget", keepFrom: 2, budgetTokens: 0 });
  expect(planFit(small, Number.NaN)).toMatchObject({ reason: "invalid-budget" });
  expect(planFit(small, 10_000)).toMatchObject({ reason: "under-budget", keepFrom: 0, keptTokens: 3000 });
  expect(planFit([user(36_000), user(28_000)], 10_000)).toMatchObject({ reason: "mandatory-tail-only", keepFrom: 1 });
  expect(planFit([user(36_000), user(72_000)], 10_000)).toMatchObject({
    reason: "mandatory-tail-only",
    keepFrom: 1,
    keptTokens: 20_000,
  });
  expect(planFit([user(36_000), assistant(3600), user(3600)], 10_000)).toMatchObject({
    reason: "budget-trimmed",
    keepFrom: 1,
    keptTokens: 2000,
  });
});

test("what is kept never begins with a result whose call was left out", () => {
  const messages = [user(360), assistant(36_000), result(3600), result(3600), assistant(360), user(360)];
  expect(planFit(messages, 10_000)).toMatchObject({ reason: "budget-trimmed", keepFrom: 4 });
  expect(planFit([assistant(36_000), result(36)], 10_000)).toMatchObject({
    reason: "mandatory-tail-only",
    keepFrom: 0,
  });
});

test("the last message of the user is always kept, and as much before it as fits", () => {
  const message = fc.record({
    role: fc.constantFrom("system", "user", "assistant", "tool"),
    chars: fc.nat({ max: 20_000 }),
  }) as fc.Arbitrary<FitMessage>;
  fc.assert(
    fc.property(fc.array(message, { maxLength: 20 }), fc.nat({ max: 40_000 }), (messages, window) => {
      const { reason, keepFrom, keptTokens, budgetTokens } = planFit(messages, window);
      const lastUser = messages.findLastIndex(({ role }) => role === "user");
      if (lastUser >= 0) expect(keepFrom).toBeLessThanOrEqual(lastUser);
      if (reason === "under-budget" || reason === "budget-trimmed")
        expect(keptTokens).toBeLessThanOrEqual(budgetTokens);
      expect(reason === "empty").toBe(messages.length === 0);
      if (reason === "budget-trimmed") {
        expect(messages[keepFrom]!.role).not.toBe("tool");
        expect(keepFrom).toBeGreaterThan(0);
      }
    }),
    { numRuns: 1000 },
  );
});

test("a message that cannot be weighed is refused", () => {
  expect(() => planFit([user(Number.NaN)], 10_000)).toThrow(/cannot be weighed/);
});
