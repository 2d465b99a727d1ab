import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_USAGE } from "../draft.ts";
import type { PriceTable } from "../host.ts";
import { fitsPattern } from "../star-pattern.ts";
import { processorMs } from "../testing-processor-time.ts";
import { fitsFolder, modelOverrides, overriddenFor, overTable, type ModelOverride } from "./overrides.ts";
import { completeRates, usageUsd } from "./rates.ts";

const one = (match: string, rest: Partial<ModelOverride> = {}): ModelOverride => ({
  match,
  project: null,
  window: null,
  uncached: null,
  read: null,
  write: null,
  write1h: null,
  output: null,
  ...rest,
});

const table: PriceTable = {
  rates: (model) =>
    model === "known" ? completeRates({ uncached: 1e-6, read: 1e-7, write: 2e-6, output: 4e-6, request: 0.5 }) : null,
  window: (model) => (model === "known" ? 200_000 : null),
};
const usage = {
  ...NO_USAGE,
  inputUncached: 1_000_000,
  cacheRead: 1_000_000,
  cacheWrite: 1_000_000,
  output: 1_000_000,
};

function usdOf(prices: PriceTable, model: string): number | null {
  const rates = prices.rates(model, usage, null);
  return rates === null ? null : usageUsd(usage, rates);
}

describe("a pattern", () => {
  test("stands for the names that it says", () => {
    expect(fitsPattern("claude-opus-*", "claude-opus-4-6")).toBe(true);
    expect(fitsPattern("Claude-Opus-*", "claude-opus-")).toBe(true);
    expect(fitsPattern("*opus*6", "claude-opus-4-6")).toBe(true);
    expect(fitsPattern("claude-opus", "claude-opus-4-6")).toBe(false);
    expect(fitsPattern("a*a", "a")).toBe(false);
    expect(fitsPattern("*", "")).toBe(true);
    expect(fitsPattern("gpt-5.4", "gpt-5x4")).toBe(false);
  });

  test("fits what a regular expression of the same meaning fits", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
    fc.assert(
      fc.property(letters, name, (match, model) => {
        expect(fitsPattern(match, model)).toBe(new RegExp(`^${match.replaceAll("*", ".*")}$`).test(model));
      }),
      { numRuns: 2000 },
    );
  });

  test("of 200 stars is answered at once", () => {
    const took = processorMs(() => expect(fitsPattern(`${"*a".repeat(100)}b`, "a".repeat(100_000))).toBe(false));
    expect(took).toBeLessThan(200);
  });
});

test("a project is a folder and what is below it, never a folder whose name only begins so", () => {
  expect(fitsFolder("/home/ann/web", "/home/ann/web")).toBe(true);
  expect(fitsFolder("/home/ann/web/", "/home/ann/web/app")).toBe(true);
  expect(fitsFolder("/home/ann/web", "/home/ann/website")).toBe(false);
  expect(fitsFolder("/", "/home")).toBe(true);
  expect(fitsFolder("C:\\work", "C:\\work\\web")).toBe(true);
  expect(fitsFolder("/home", null)).toBe(false);
  expect(fitsFolder(null, null)).toBe(true);
});

test("the longer folder wins over the longer match, and a whole name over a pattern", () => {
  const list = [
    one("claude-*", { window: 1 }),
    one("claude-opus-*", { window: 2 }),
    one("claude-opus-4-6", { window: 3 }),
    one("*", { project: "/p", window: 4 }),
    one("*", { project: "/p/q", window: 5 }),
  ];
  const windowFor = (model: string, cwd: string | null) => overriddenFor(list, model, cwd).window;
  expect(windowFor("claude-haiku-4-5", null)).toBe(1);
  expect(windowFor("claude-opus-4-5", null)).toBe(2);
  expect(windowFor("claude-opus-4-6", "/elsewhere")).toBe(3);
  expect(windowFor("claude-opus-4-6", "/p")).toBe(4);
  expect(windowFor("claude-opus-4-6", "/p/q/r")).toBe(5);
  expect(windowFor("gpt-5.4", null)).toBeNull();
});

test("each number is taken from the best override that names it", () => {
  const list = [one("*", { uncached: 3, window: 100_000 }), one("known", { project: "/p", window: 150_000 })];
  expect(overriddenFor(list, "known", "/p")).toEqual({
    window: 150_000,
    uncached: 3,
    read: null,
    write: null,
    write1h: null,
    output: null,
  });
});

describe("prices", () => {
  test("that are set take the place of the table's, the others stay, and the request's fee goes", () => {
    const prices = overTable(table, [one("known", { read: 3 })], null);
    expect(prices.rates("known", usage, null)).toEqual(
      completeRates({ uncached: 1e-6, read: 3e-6, write: 2e-6, output: 4e-6, isSet: true }),
    );
    expect(usdOf(prices, "known")).toBeCloseTo(10, 9);
    expect(prices.window("known")).toBe(200_000);
  });

  test("stay as the table has them where only the window is set", () => {
    const prices = overTable(table, [one("known", { window: 90_000 })], null);
    expect(prices.rates("known", usage, null)).toEqual(table.rates("known", usage, null));
    expect(prices.window("known")).toBe(90_000);
  });

  test("of a model that the table does not know need input and output; cached tokens then cost as others do", () => {
    expect(usdOf(overTable(table, [one("new", { output: 8 })], null), "new")).toBeNull();
    expect(usdOf(overTable(table, [one("new", { uncached: 2, output: 8 })], null), "new")).toBeCloseTo(14, 9);
    expect(usdOf(overTable(table, [one("new", { uncached: 0, output: 0 })], null), "new")).toBe(0);
  });

  test("of one-hour writes follow from the input price that holds, until they are set themselves", () => {
    const rates = (set: Partial<ModelOverride>, over = table) =>
      overTable(over, [one("known", set)], null).rates("known", usage, null);
    expect(rates({ uncached: 3 })).toMatchObject({ write1h: 6e-6, isDerived: true });
    expect(rates({ uncached: 3, write1h: 5 })).toMatchObject({ write1h: 5e-6, isDerived: false });
    const named: PriceTable = {
      ...table,
      rates: () => completeRates({ uncached: 1e-6, write1h: 2.5e-6, output: 4e-6 }),
    };
    expect(rates({ uncached: 3 }, named)).toMatchObject({ write1h: 2.5e-6, isDerived: false });
  });
});

test("nothing set is the table itself", () => {
  expect(overTable(table, [], "/p")).toBe(table);
});

test("what cannot be is refused by its place, in words", () => {
  const wrong = (list: unknown): string => {
    const issue = modelOverrides.safeParse(list).error?.issues[0];
    return `${issue?.path.join(".")}: ${issue?.message}`;
  };
  expect(wrong([{ match: "a" }])).toBe("0: is empty; give it a window or a price");
  expect(wrong([{ match: " ", window: 5000 }])).toContain("0.match: name a model");
  expect(wrong([{ match: "a", window: 12 }])).toBe("0.window: is under 1,000 tokens");
  expect(wrong([{ match: "a", read: -1 }])).toMatch(/^0\.read: /);
  expect(wrong([{ match: "a", raed: 1 }])).toMatch(/raed/);
  expect(
    wrong([
      { match: "A", project: "/p", window: 5000 },
      { match: "a", project: "/p/", window: 6000 },
    ]),
  ).toBe("1.match: appears twice for /p/; change the existing one");
  expect(modelOverrides.parse([{ match: "a", window: 5000 }])).toEqual([one("a", { window: 5000 })]);
});
