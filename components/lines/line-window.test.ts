import fc from "fast-check";
import { expect, test } from "vitest";
import { placed } from "../ui/scroll-scale.ts";
import { evenHeights, LINE_PX, lineWindow } from "./line-window.ts";
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
