import fc from "fast-check";
import { expect, test } from "vitest";
import { LINE_PX, lineWindow, scrollTopOf } from "./line-window.ts";

const text = fc.record({
  count: fc.integer({ min: 1, max: 20_000_000 }),
  viewport: fc.integer({ min: 100, max: 2000 }),
});

test("whatever the scroll, the screen is covered with lines, from the first to the last", () => {
  fc.assert(
    fc.property(text, fc.double({ min: 0, max: 1, noNaN: true }), ({ count, viewport }, share) => {
      const { height } = lineWindow(count, viewport, 0);
      const scrollTop = Math.max(0, (height - viewport) * share);
      const { from, to, top } = lineWindow(count, viewport, scrollTop);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(to).toBeLessThanOrEqual(count);
      expect(to - from).toBeLessThan(viewport / LINE_PX + 20);
      expect(top).toBeLessThanOrEqual(scrollTop + 0.01);
      const bottom = top + (to - from) * LINE_PX;
      expect(bottom >= scrollTop + Math.min(viewport, height) - 0.01 || to === count).toBe(true);
    }),
  );
});

test("the first and the last line are reached at the ends of the scroll", () => {
  fc.assert(
    fc.property(text, ({ count, viewport }) => {
      const { height } = lineWindow(count, viewport, 0);
      expect(lineWindow(count, viewport, 0).from).toBe(0);
      const end = lineWindow(count, viewport, Math.max(0, height - viewport));
      expect(end.to).toBe(count);
      expect(end.top + (end.to - end.from) * LINE_PX).toBeLessThanOrEqual(Math.max(height, viewport) + 0.5);
    }),
  );
});

test("scrolling to a line shows it", () => {
  fc.assert(
    fc.property(text, fc.double({ min: 0, max: 0.9999, noNaN: true }), ({ count, viewport }, share) => {
      const line = Math.floor(share * count);
      const { from, to } = lineWindow(count, viewport, scrollTopOf(line, count, viewport));
      expect(line >= from && line < to).toBe(true);
    }),
  );
});
