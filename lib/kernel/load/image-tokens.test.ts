import fc from "fast-check";
import { expect, test } from "vitest";
import { imageEstimates } from "./image-tokens.ts";

const tokens = (width: number, height: number) => imageEstimates(width, height).map((one) => one.tokens);

test("the providers' own examples", () => {
  expect(tokens(200, 200)).toEqual([54, 255, 258]);
  expect(tokens(1000, 1000)).toEqual([1334, 85 + 170 * 4, 258 * 4]);
  expect(tokens(1024, 1024)[1]).toBe(765);
  expect(tokens(2048, 4096)[1]).toBe(1105);
  expect(tokens(1920, 1080)).toEqual([1600, 1105, 258 * 6]);
});

test("any size has a finite weight, and Claude's is never over its most", () => {
  const edge = fc.integer({ min: 1, max: 65_535 });
  fc.assert(
    fc.property(edge, edge, (width, height) => {
      for (const { tokens, rule } of imageEstimates(width, height)) {
        expect(Number.isSafeInteger(tokens) && tokens > 0).toBe(true);
        expect(rule).not.toMatch(/NaN|Infinity/u);
      }
      expect(tokens(width, height)[0]).toBeLessThanOrEqual(1600);
    }),
  );
});
