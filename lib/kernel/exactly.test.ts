import fc from "fast-check";
import { expect, test } from "vitest";
import { exactly } from "./exactly.ts";

test("numbers are written as Intl writes them in English", () => {
  expect([0, 7, 999, 1000, 12_345, 1_234_567, -1200].map(exactly)).toEqual([
    ...["0", "7", "999", "1,000", "12,345", "1,234,567", "-1,200"],
  ]);
  fc.assert(fc.property(fc.maxSafeInteger(), (n) => exactly(n) === (n + 0).toLocaleString("en-US")));
});

test("fractions are rounded, half away from zero", () => {
  expect([0.4, 0.5, 1234.5, -0.4, -0.5, -2.5].map(exactly)).toEqual(["0", "1", "1,235", "0", "-1", "-3"]);
});
