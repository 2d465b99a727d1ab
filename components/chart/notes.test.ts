import fc from "fast-check";
import { expect, test } from "vitest";
import { overlaps, layoutLabels, layoutNotes, textWidth, type Box } from "./chart-notes.ts";

const bounds: Box = { x: 0, y: 0, width: 1074, height: 216 };
const notes = fc.array(
  fc.record({
    x: fc.integer({ min: 0, max: 1074 }),
    y: fc.integer({ min: 0, max: 216 }),
    width: fc.integer({ min: 20, max: 200 }),
    short: fc.integer({ min: 10, max: 20 }),
  }),
  { maxLength: 6 },
);
const boxes = fc.array(
  fc.record({
    x: fc.integer({ min: 0, max: 1000 }),
    y: fc.integer({ min: 0, max: 200 }),
    width: fc.integer({ min: 1, max: 120 }),
    height: fc.integer({ min: 1, max: 30 }),
  }),
  { maxLength: 5 },
);

test("no note touches another, a taken box or the edge", () => {
  fc.assert(
    fc.property(notes, boxes, boxes, (request, taken, avoid) => {
      const placed = layoutNotes(
        request.map((note, key) => Object.assign({ key }, note)),
        { taken, avoid, bounds },
      );
      placed.forEach((note, i) => {
        expect(note.box.x >= 0 && note.box.y >= 0).toBe(true);
        expect(note.box.x + note.box.width <= 1074 && note.box.y + note.box.height <= 216).toBe(true);
        for (const box of taken) expect(overlaps(note.box, box)).toBe(false);
        for (const other of placed.slice(i + 1)) expect(overlaps(note.box, other.box)).toBe(false);
      });
    }),
  );
});

test("a lone note with room is placed, left of its step", () => {
  const [note] = layoutNotes([{ key: 1, x: 500, y: 120, width: 130, short: 40 }], { taken: [], avoid: [], bounds });
  expect(note?.anchor).toBe("end");
  expect((note?.box.x ?? 0) + 130).toBe(494);
});

test("a note at the left edge goes to the right of its step", () => {
  const [note] = layoutNotes([{ key: 1, x: 8, y: 120, width: 130, short: 40 }], { taken: [], avoid: [], bounds });
  expect(note?.anchor).toBe("start");
});

test("what is only to be avoided is touched rather than losing the note", () => {
  const everywhere = [bounds];
  const request = [{ key: 1, x: 500, y: 120, width: 80, short: 40 }];
  expect(layoutNotes(request, { taken: [], avoid: everywhere, bounds })).toHaveLength(1);
});

test("over the stack a note is its size alone, so that it hides little of it", () => {
  const stack = { x: 0, y: 10, width: 1074, height: 206 };
  const [note] = layoutNotes([{ key: 1, x: 500, y: 140, width: 175, short: 40 }], {
    taken: [],
    avoid: [stack],
    bounds,
  });
  expect(note).toMatchObject({ isOver: true, isShort: true, box: { width: 40, height: 14 } });
});

test("where the name does not fit beside its step, the size alone is kept clear", () => {
  const stack = { x: 0, y: 60, width: 440, height: 156 };
  const right = { x: 560, y: 0, width: 514, height: 216 };
  const [note] = layoutNotes([{ key: 1, x: 500, y: 120, width: 175, short: 40 }], {
    taken: [],
    avoid: [stack, right],
    bounds: { ...bounds, y: 70 },
  });
  expect(note).toMatchObject({ isOver: false, isShort: true });
});

test("labels in one line never overlap and stay inside", () => {
  const label = fc.record({ x: fc.integer({ min: 0, max: 1000 }), n: fc.integer({ min: 1, max: 999 }) });
  fc.assert(
    fc.property(fc.array(label, { maxLength: 20 }), (request) => {
      const labels = request
        .toSorted((a, b) => a.x - b.x)
        .map(({ x, n }) => ({ x, long: `compacted ${n}.0k → 60.5k`, short: `→ ${n}.5k` }));
      let right = -1;
      for (const spot of layoutLabels(labels, 0, 1000)) {
        if (!spot) continue;
        const half = textWidth(spot.text) / 2;
        expect(spot.x - half).toBeGreaterThanOrEqual(right);
        expect(spot.x + half).toBeLessThanOrEqual(1000.2);
        right = spot.x + half;
      }
    }),
  );
});
