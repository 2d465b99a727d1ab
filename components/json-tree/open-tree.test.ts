import fc from "fast-check";
import { expect, test } from "vitest";
import {
  fold,
  nodeAt,
  rowCount,
  rowOfTrail,
  slotsBetween,
  stepsAlong,
  unfold,
  unfolded,
  unfoldedAll,
  type Unfolded,
} from "./open-tree.ts";

const tree = fc.letrec<{ node: Unfolded }>((tie) => ({
  node: fc
    .tuple(
      fc.integer({ min: 0, max: 9 }),
      fc.oneof({ maxDepth: 4 }, fc.constant([]), fc.array(fc.tuple(fc.nat(8), tie("node")), { maxLength: 3 })),
    )
    .map(([count, some]) => {
      const byOrdinal = new Map(some.filter(([ordinal]) => ordinal < count));
      const open = [...byOrdinal].toSorted(([a], [b]) => a - b).map(([ordinal, node]) => ({ ...node, ordinal }));
      return unfolded({ at: 0, ordinal: 0, count }, open);
    }),
})).node;

/** The rows one after the other, as they are seen. */
function* trailsOf(node: Unfolded, trail: readonly number[] = []): Generator<readonly number[]> {
  yield trail;
  for (let ordinal = 0; ordinal < node.count; ordinal++) {
    const child = node.open.find((one) => one.ordinal === ordinal);
    if (child) yield* trailsOf(child, [...trail, ordinal]);
    else yield [...trail, ordinal];
  }
}

test("any window of rows is that of all rows, and each row is found by its trail", () => {
  fc.assert(
    fc.property(tree, fc.nat(60), fc.nat(30), (top, from, length) => {
      const all = [...trailsOf(top)];
      expect(rowCount(top)).toBe(all.length);
      const slots = slotsBetween(top, from, from + length);
      expect(slots.map(({ trail }) => trail)).toEqual(all.slice(from, from + length));
      for (const { row, trail, self, ordinal } of slots) {
        expect(rowOfTrail(top, trail)).toBe(row);
        expect(self).toBe(nodeAt(top, trail));
        expect(ordinal).toBe(trail.at(-1) ?? 0);
      }
    }),
  );
});

test("what is unfolded and folded again leaves the tree as it was", () => {
  fc.assert(
    fc.property(tree, fc.nat(40), fc.nat(20), (top, at, count) => {
      const [slot] = slotsBetween(top, at, at + 1);
      if (!slot || slot.self || slot.trail.length === 0) return;
      const opened = unfold(top, slot.trail, unfolded({ at: 7, ordinal: slot.ordinal, count }));
      expect(rowCount(opened)).toBe(rowCount(top) + count);
      expect(fold(opened, slot.trail)).toEqual(top);
    }),
  );
});

test("5,000,000 rows are a window away", () => {
  const top = unfold(
    unfolded({ at: 0, ordinal: 0, count: 5_000_000 }),
    [2_500_000],
    unfolded({ at: 9, ordinal: 2_500_000, count: 10 }),
  );
  expect(slotsBetween(top, 2_500_010, 2_500_013).map(({ trail }) => trail)).toEqual([
    [2_500_000, 8],
    [2_500_000, 9],
    [2_500_001],
  ]);
});

test("a path has keys where there are any, and is none where one is cut", () => {
  let top = unfolded({ at: 0, ordinal: 0, count: 3 });
  top = unfold(top, [1], unfolded({ at: 5, ordinal: 1, key: "a b", count: 2 }));
  expect(stepsAlong(top, [1, 0], { key: null, keyChars: null })).toEqual(["a b", 0]);
  top = unfold(top, [1], unfolded({ at: 5, ordinal: 1, key: "aaa", keyChars: 900, count: 2 }));
  expect(stepsAlong(top, [1, 0], { key: null, keyChars: null })).toBeNull();
});

test("all that the server names is unfolded", () => {
  const self = unfolded({ at: 3, ordinal: 1, key: "k", count: 4 });
  const found = [
    { at: 3, parent: -1, ordinal: 1, count: 4, key: "k", keyChars: null },
    { at: 9, parent: 3, ordinal: 2, count: 5, key: "k", keyChars: null },
    { at: 6, parent: 3, ordinal: 0, count: 1, key: "k", keyChars: null },
    { at: 7, parent: 6, ordinal: 0, count: 2, key: "k", keyChars: null },
  ];
  const all = unfoldedAll(self, found);
  expect(all.rows).toBe(4 + 5 + 1 + 2);
  expect(all.open.map(({ key, ordinal }) => [key, ordinal])).toEqual([
    ["k", 0],
    ["k", 2],
  ]);
});
