import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { axisCalls, breakX, indexAt, plotOf, spansOf, ticksOf, topOf, xOf, centreOf, yOf } from "./geometry.ts";

const pad = { left: 2, right: 46, top: 18, bottom: 52 };

const request = fc
  .record({
    width: fc.integer({ min: 120, max: 2400 }),
    height: fc.integer({ min: 90, max: 600 }),
    first: fc.integer({ min: 0, max: 50 }),
    count: fc.integer({ min: 1, max: 3000 }),
    max: fc.integer({ min: 1, max: 2_000_000 }),
  })
  .chain((base) =>
    fc
      .uniqueArray(fc.integer({ min: base.first, max: base.first + base.count }), { maxLength: 40 })
      .map((breaks) => Object.assign({ breaks, pad }, base)),
  );

describe("the plot of a load chart", () => {
  test("columns follow each other, gaps included, and fill the width exactly", () => {
    fc.assert(
      fc.property(request, (requested) => {
        const plot = plotOf(requested);
        let right = plot.left;
        for (let index = plot.first; index < plot.first + plot.count; index++) {
          const x = xOf(plot, index);
          expect(x - right).toBeCloseTo(plot.breaks.includes(index) ? plot.gap : 0, 5);
          right = x + plot.columnWidth;
        }
        expect(right).toBeCloseTo(plot.right, 4);
        expect(plot.gap * plot.breaks.length).toBeLessThanOrEqual((plot.right - plot.left) / 3 + 1e-6);
      }),
    );
  });

  test("the pointer over the middle of a column finds that column, and one in a gap its nearer side", () => {
    fc.assert(
      fc.property(request, fc.double({ min: 0, max: 0.999, noNaN: true }), (requested, share) => {
        const plot = plotOf(requested);
        const index = plot.first + Math.floor(share * plot.count);
        expect(indexAt(plot, centreOf(plot, index))).toBe(index);
        for (const at of plot.breaks) {
          expect(indexAt(plot, breakX(plot, at) - plot.gap / 4)).toBe(at - 1);
          expect(indexAt(plot, breakX(plot, at) + plot.gap / 4)).toBe(at);
        }
      }),
    );
  });

  test("a place outside the columns belongs to the first or the last", () => {
    const plot = plotOf({ width: 1120, height: 268, pad, first: 3, count: 200, breaks: [50], max: 172_000 });
    expect(indexAt(plot, -500)).toBe(3);
    expect(indexAt(plot, 5000)).toBe(202);
  });

  test("spans cover every column once and end at the breaks", () => {
    fc.assert(
      fc.property(request, (requested) => {
        const plot = plotOf(requested);
        const covered = spansOf(plot).reduce((sum, span) => sum + span.to - span.from, 0);
        expect(covered).toBe(plot.count);
        expect(spansOf(plot).length).toBe(plot.breaks.length + 1);
      }),
    );
  });

  test("zero tokens lie on the axis and the largest number at the top", () => {
    const plot = plotOf({ width: 800, height: 268, pad, first: 0, count: 10, breaks: [], max: 1000 });
    expect(yOf(plot, 0)).toBe(268 - 52);
    expect(yOf(plot, 1000)).toBe(18);
  });

  test("the top is a tenth over the line, or over the peak where that is higher", () => {
    expect(topOf([10, 20], 100)).toBeCloseTo(110);
    expect(topOf([10, 200], 100)).toBeCloseTo(220);
    expect(topOf([10, 200], null)).toBeCloseTo(220);
    expect(topOf([], null)).toBe(1);
  });
});

describe("marks on the axes", () => {
  test("token steps are round and no more than asked for", () => {
    expect(ticksOf(172_000, 4)).toEqual([50_000, 100_000, 150_000]);
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 5_000_000 }), fc.integer({ min: 1, max: 8 }), (max, most) => {
        const ticks = ticksOf(max, most);
        expect(ticks.length).toBeLessThanOrEqual(most);
        for (const tick of ticks) expect(tick).toBeLessThanOrEqual(max);
      }),
    );
  });

  test("call marks start with the first call, end with the last and ascend", () => {
    expect(axisCalls(1, 225, 1074)).toEqual([1, 25, 50, 75, 100, 125, 150, 175, 200, 225]);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 0, max: 20_000 }),
        fc.integer({ min: 60, max: 2000 }),
        (first, more, width) => {
          const marks = axisCalls(first, first + more, width);
          expect(marks[0]).toBe(first);
          expect(marks.at(-1)).toBe(first + more);
          for (let i = 1; i < marks.length; i++) expect(marks[i] as number).toBeGreaterThan(marks[i - 1] as number);
          expect(marks.length).toBeLessThanOrEqual(width / 28 + 3);
        },
      ),
    );
  });
});
