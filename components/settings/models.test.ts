import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { modelOverride, type ModelOverride } from "#lib/kernel/load/overrides.ts";
import { EMPTY, formatRate, lineWords, overrideOf, priceOf, tokensOf, typedOf } from "./model-words.ts";

test("tokens are read as they are typed", () => {
  expect(["200k", "1M", "200,000", "1.05m", " 96 000 ", ""].map(tokensOf)).toEqual([
    200_000,
    1_000_000,
    200_000,
    1_050_000,
    96_000,
    null,
  ]);
  expect(["much", "-1", "1e6", "2 GB", "k"].map(tokensOf)).toEqual(Array(5).fill(Number.NaN));
});

test("prices are read as they are typed", () => {
  expect(["3", "$0.30", ".5", "", "-1"].map(priceOf)).toEqual([3, 0.3, 0.5, null, -1]);
  expect(["free", "1,5", "1e3", "3 $"].map(priceOf)).toEqual(Array(4).fill(Number.NaN));
});

test("prices are written with two places, and more where they have them", () => {
  expect([5, 0.125, 0.0028, 1234].map(formatRate)).toEqual(["5.00", "0.125", "0.0028", "1,234.00"]);
});

const one = (given: object): ModelOverride => modelOverride.parse(given);

describe("the form", () => {
  test("gives back what it was filled with", () => {
    const number = fc.option(fc.integer({ min: 1000, max: 100_000_000 }), { nil: null });
    const price = fc.option(
      fc.integer({ min: 0, max: 1_500_000 }).map((cents) => cents / 100),
      { nil: null },
    );
    const some = fc
      .record({
        match: fc.constantFrom("a", "claude-*"),
        project: fc.constantFrom(null, "/p"),
        window: number,
        uncached: price,
        read: price,
        write: price,
        write1h: price,
        output: price,
      })
      .filter((given) => modelOverride.safeParse(given).success);
    fc.assert(
      fc.property(some, (given) => {
        expect(overrideOf(typedOf(given), [given], 0)).toEqual({ list: [given] });
        expect(overrideOf(typedOf(given), [], null)).toEqual({ list: [given] });
      }),
    );
  });

  test("says beside each field what is wrong with it", () => {
    const wrong = (typed: object, others: readonly ModelOverride[] = []) =>
      overrideOf({ ...EMPTY, ...typed }, others, null);
    expect(wrong({ match: "a", window: "lots", read: "cheap" })).toEqual({
      wrong: { window: "A number of tokens, such as 200,000 or 200k.", read: "Dollars, such as 3 or 0.30." },
    });
    expect(wrong({ match: "a", window: "12" })).toEqual({ wrong: { window: "Is under 1,000 tokens." } });
    expect(wrong({ match: "a", window: "5000.5" })).toEqual({ wrong: { window: "Is not a whole number of tokens." } });
    expect(wrong({ match: "a", output: "-2" })).toEqual({ wrong: { output: "Is below zero." } });
    expect(wrong({ match: "a" })).toEqual({ wrong: { all: "Is empty; give it a window or a price." } });
    expect(wrong({ window: "200k" })).toEqual({
      wrong: { match: "Name a model, or a pattern such as claude-opus-*." },
    });
    expect(wrong({ match: "A", window: "200k" }, [one({ match: "a", read: 1 })])).toEqual({
      wrong: { match: "Appears twice for all projects; change the existing one." },
    });
  });
});

test("a load line says how it was found, and in how many sessions", () => {
  const lines = [
    { by: "table" as const, sessions: 5, low: 1_000_000, high: 1_000_000 },
    { by: "observed" as const, sessions: 3, low: 167_094, high: 170_251 },
  ];
  expect(lines.map((line) => lineWords(line, { lines }))).toEqual([
    { range: "1,000,000", says: "price table, 5 of 8 sessions" },
    { range: "167,094 to 170,251", says: "observed, 3 of 8 sessions" },
  ]);
  expect(lineWords(lines[0]!, { lines: [lines[0]!] }).says).toBe("price table, 5 sessions");
});
