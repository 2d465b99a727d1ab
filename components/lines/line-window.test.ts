import fc from "fast-check";
import { expect, test } from "vitest";
import { boxHeight, evenHeights, LINE_PX, lineWindow, placed, scrolled, type Scroll } from "./line-window.ts";
import { measuredHeights } from "./measured-heights.ts";

const text = fc.record({
  count: fc.integer({ min: 1, max: 20_000_000 }),
  viewport: fc.integer({ min: 100, max: 2000 }),
});
const share = fc.double({ min: 0, max: 1, noNaN: true });

test("wherever the reader is, the screen is covered with lines, and few more are drawn", () => {
  fc.assert(
    fc.property(text, share, ({ count, viewport }, at) => {
      const heights = evenHeights(count);
      const { position } = placed(at * heights.total(), { total: heights.total(), viewport });
      const { from, to } = lineWindow(heights, viewport, position);
      expect(heights.offsetOf(from)).toBeLessThanOrEqual(position);
      expect(heights.offsetOf(to) >= position + viewport || to === count).toBe(true);
      expect(to - from).toBeLessThan(viewport / LINE_PX + 34);
    }),
  );
});

test("dragging the bar to its ends shows the first and the last line", () => {
  fc.assert(
    fc.property(text, share, ({ count, viewport }, at) => {
      const total = evenHeights(count).total();
      const sizes = { total, viewport };
      const start = placed(at * total, sizes);
      const mostBar = Math.max(0, boxHeight(total) - viewport);
      const top = scrolled(scrolled(start, 0, sizes), 0, sizes);
      const end = scrolled(start, mostBar, sizes);
      if (Math.abs(start.bar) > 2 * viewport || start.position === start.bar) expect(top.position).toBeCloseTo(0, 3);
      if (mostBar - start.bar > 2 * viewport || total <= boxHeight(total))
        expect(end.position).toBeCloseTo(Math.max(0, total - viewport), 3);
    }),
  );
});

test("a turn of the wheel goes as far as it says, however long the text is, and the ends are reached", () => {
  fc.assert(
    fc.property(
      text,
      share,
      fc.array(fc.integer({ min: -1900, max: 1900 }), { maxLength: 60 }),
      ({ count, viewport }, at, turns) => {
        const total = evenHeights(count).total();
        const sizes = { total, viewport };
        const most = Math.max(0, total - viewport);
        const mostBar = Math.max(0, boxHeight(total) - viewport);
        let now: Scroll = placed(at * total, sizes);
        for (const turn of turns) {
          const step = Math.max(-2 * viewport, Math.min(2 * viewport, turn));
          const wished = Math.max(0, Math.min(most, now.position + step));
          // The browser stops the bar at its ends.
          now = scrolled(now, Math.max(0, Math.min(mostBar, now.bar + step)), sizes);
          expect(now.position).toBeCloseTo(wished, 3);
          expect(now.bar).toBeGreaterThanOrEqual(0);
          expect(now.bar).toBeLessThanOrEqual(mostBar);
        }
      },
    ),
    { examples: [[{ count: 19_293_630, viewport: 100 }, 1.9936567267556827e-7, [200]]] },
  );
});

test("measured heights are those of a plain list of heights", () => {
  const measures = fc.array(fc.tuple(fc.integer({ min: 0, max: 2999 }), fc.integer({ min: 18, max: 900 })));
  fc.assert(
    fc.property(measures, fc.integer({ min: 18, max: 60 }), share, (measured, estimate, at) => {
      const heights = measuredHeights(3000, estimate);
      const plain = Array.from({ length: 3000 }, () => estimate);
      for (const [line, px] of measured) {
        expect(heights.measure(line, px)).toBe(plain[line] !== px);
        plain[line] = px;
      }
      const line = Math.floor(at * 2999);
      const offset = plain.slice(0, line).reduce((sum, px) => sum + px, 0);
      expect(heights.offsetOf(line)).toBe(offset);
      expect(heights.total()).toBe(plain.reduce((sum, px) => sum + px, 0));
      expect(heights.lineAt(offset)).toBe(line);
      expect(heights.lineAt(offset + plain[line]! - 1)).toBe(line);
    }),
  );
});
