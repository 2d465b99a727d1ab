import fc from "fast-check";
import { expect, test } from "vitest";
import { squarify, type Rect } from "./squarify.ts";

const ROOM: Rect = { x: 10, y: 20, width: 900, height: 400 };
const weights = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 80 });

const area = ({ width, height }: Rect): number => width * height;

test("areas are in proportion to weights, and fill the room", () => {
  fc.assert(
    fc.property(weights, (list) => {
      const rects = squarify(list, ROOM);
      const sum = list.reduce((a, b) => a + b, 0);
      list.forEach((weight, i) => {
        const wanted = sum === 0 ? 0 : (weight / sum) * area(ROOM);
        expect(Math.abs(area(rects[i]!) - wanted)).toBeLessThan(0.01 + wanted * 1e-6);
      });
    }),
  );
});

test("nothing leaves the room, and no two overlap", () => {
  fc.assert(
    fc.property(weights, (list) => {
      const rects = squarify(list, ROOM).filter((rect) => area(rect) > 0);
      for (const [i, a] of rects.entries()) {
        expect(a.x).toBeGreaterThan(ROOM.x - 0.001);
        expect(a.x + a.width).toBeLessThan(ROOM.x + ROOM.width + 0.001);
        expect(a.y + a.height).toBeLessThan(ROOM.y + ROOM.height + 0.001);
        for (const b of rects.slice(i + 1)) {
          const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
          const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
          expect(Math.min(wide, high)).toBeLessThan(0.001);
        }
      }
    }),
  );
});

test("equal weights come near to squares", () => {
  for (const rect of squarify(
    Array.from({ length: 36 }, () => 1),
    { x: 0, y: 0, width: 600, height: 600 },
  ))
    expect(Math.max(rect.width / rect.height, rect.height / rect.width)).toBeLessThan(1.2);
});
