import fc from "fast-check";
import { expect, test } from "vitest";
import { ROW_FLAG } from "#lib/kernel/log/row-filter.ts";
import { rowStrips, rowUnder } from "./row-strips.ts";
import type { Rows } from "./transcript-rows.ts";

function rowsWith(tokens: readonly number[], errors: readonly number[] = []): Rows {
  const most = Math.max(0, ...tokens);
  return {
    outline: { tokens, flags: tokens.map((_, i) => (errors.includes(i) ? ROW_FLAG.error : 0)) },
    shown: tokens.map((_, i) => i),
    scale: Float64Array.from(tokens, () => most),
  } as unknown as Rows;
}

test("a pixel shows the heaviest of its rows, and any error", () => {
  const strips = rowStrips(rowsWith([1, 9, 0, 4], [2]), 2);
  expect(strips).toEqual([
    { y: 0, height: 1, i: 1, share: 1, hasError: false },
    { y: 1, height: 1, i: 3, share: 2 / 3, hasError: true },
  ]);
});

test("the strips fill the height without a gap, no error is lost, and each leads to its row", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 300 }), fc.integer({ min: 1, max: 90 }), (tokens, height) => {
      const errors = tokens.flatMap((own, i) => (own === 9 ? [i] : []));
      const rows = rowsWith(tokens, errors);
      const strips = rowStrips(rows, height);
      expect(strips.reduce((sum, strip) => sum + strip.height, 0)).toBeCloseTo(tokens.length === 0 ? 0 : height);
      expect(strips.some(({ hasError }) => hasError)).toBe(errors.length > 0);
      for (const strip of strips) expect(strip.share).toBeLessThanOrEqual(1);
      if (tokens.length > 0 && tokens.length <= height)
        expect(strips.map(({ y, height: own }) => rowUnder(rows, y + own / 2, height))).toEqual(
          tokens.map((_, i) => i),
        );
    }),
  );
});
