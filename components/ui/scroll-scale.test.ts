import fc from "fast-check";
import { expect, test } from "vitest";
import { boxHeight, moved, placed, resized, scrolled, type Scroll } from "./scroll-scale.ts";

const rows = fc.record({
  count: fc.integer({ min: 1, max: 20_000_000 }),
  viewport: fc.integer({ min: 100, max: 2000 }),
});
const share = fc.double({ min: 0, max: 1, noNaN: true });

test("dragging the bar to its ends shows the first and the last line", () => {
  fc.assert(
    fc.property(rows, share, ({ count, viewport }, at) => {
      const total = count * 18;
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
      rows,
      share,
      fc.array(fc.integer({ min: -1900, max: 1900 }), { maxLength: 60 }),
      ({ count, viewport }, at, turns) => {
        const total = count * 18;
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

test("wherever the reader is sent, the place is exact and the bar is one that the box can stand at", () => {
  fc.assert(
    fc.property(rows, fc.array(share, { maxLength: 20 }), ({ count, viewport }, parts) => {
      const sizes = { total: count * 18, viewport };
      const most = Math.max(0, sizes.total - viewport);
      const mostBar = Math.max(0, boxHeight(sizes.total) - viewport);
      let now: Scroll = { position: 0, bar: 0 };
      for (const part of parts) {
        now = moved(now, part * most, sizes);
        expect(now.position).toBeCloseTo(part * most, 3);
        expect(now.bar).toBeGreaterThanOrEqual(0);
        expect(now.bar).toBeLessThanOrEqual(mostBar);
        // A turn of the wheel has somewhere to go, unless it is the end.
        if (now.position < most) expect(now.bar).toBeLessThan(mostBar);
        if (now.position > 0) expect(now.bar).toBeGreaterThan(0);
      }
    }),
  );
});

test("rows that come or go leave the reader inside of them", () => {
  fc.assert(
    fc.property(rows, rows, share, ({ count, viewport }, { count: next }, part) => {
      const was = placed(part * count * 18, { total: count * 18, viewport });
      const sizes = { total: next * 18, viewport };
      const most = Math.max(0, sizes.total - viewport);
      const mostBar = Math.max(0, boxHeight(sizes.total) - viewport);
      const { position, bar } = resized(was, Math.min(was.bar, mostBar), sizes);
      expect(position).toBeGreaterThanOrEqual(0);
      expect(position).toBeLessThanOrEqual(most);
      expect(bar).toBeLessThanOrEqual(mostBar);
    }),
  );
});
