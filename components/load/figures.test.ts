import { expect, test } from "vitest";
import { differenceWords, FIGURES, type Compared } from "./load-figures.ts";

const call = (sum: number, usd: number | null, lost: number | null) => ({
  sum,
  usd,
  prefix: 100,
  cacheBreak: lost === null ? null : { usd: lost },
});

const made = (calls: readonly ReturnType<typeof call>[], loadLine: number | null): Compared =>
  ({
    session: { turns: 2, compactions: 0 },
    ledger: {
      calls,
      loadLine,
      culprits: [],
      items: [{ kind: "result", lifetimeTokens: 500 }],
      unattributedShare: 0.01,
      cost: { usd: calls.every(({ usd }) => usd === null) ? null : 9, unpriced: 0, atLeast: ["why"], inherited: null },
      inputUsd: calls.every(({ usd }) => usd === null) ? null : calls.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
    },
  }) as unknown as Compared;

const figure = (label: string) => FIGURES.find((one) => one.label === label)!;

test("figures come from the ledger, and what has no price has no sum", () => {
  const a = made([call(1000, 0.5, null), call(2000, 0.25, 0.2)], 4000);
  const b = made([call(1000, null, null)], null);
  const of = (label: string, one: Compared) => figure(label).of(one);
  expect(of("Fullest prompt", a)).toBe(2000);
  expect(of("Of its load line", a)).toBe(0.5);
  expect(of("Of its load line", b)).toBeNull();
  expect(of("Input cost", a)).toBe(0.75);
  expect(of("Input cost", b)).toBeNull();
  expect(of("Cost", a)).toBe(9);
  expect(figure("Cost").isLowerBound?.(a)).toBe(true);
  expect(of("Inherited cost", a)).toBeNull();
  expect(of("Tool results, of all sent", a)).toBeCloseTo(1 / 6);
  expect(of("Cache lost", a)).toBe(1);
  expect(of("Paid for lost caches", a)).toBe(0.2);
  expect(of("Paid for lost caches", b)).toBe(0);
});

test("a difference says which way it goes, in its own unit and in percent; shares in points", () => {
  const a = made([call(1000, 1, null)], 4000);
  const b = made([call(2000, 0.5, null)], 4000);
  expect(differenceWords(figure("Fullest prompt"), a, b)).toBe("+1,000, +100\u2009%");
  expect(differenceWords(figure("Input cost"), a, b)).toBe("−$0.50, −50\u2009%");
  expect(differenceWords(figure("Of its load line"), a, b)).toBe("+25.0 points");
  expect(differenceWords(figure("Turns"), a, b)).toBe("the same");
  expect(differenceWords(figure("Of its load line"), a, made([call(1, 1, null)], null))).toBeNull();
});
