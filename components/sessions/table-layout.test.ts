import fc from "fast-check";
import { expect, test } from "vitest";
import { layoutOf, positionOf, rowCount, type GroupPart, type Unfolded } from "./table-layout.ts";

const positionsOf = (...given: Parameters<typeof layoutOf>) => {
  const layout = layoutOf(...given);
  return Array.from({ length: rowCount(layout) }, (_, row) => positionOf(row, layout));
};

test("sub-agents stand below their parent, in order, and the rest moves down", () => {
  const unfolded = [
    { id: "b", index: 1, children: 2 },
    { id: "d", index: 3, children: 1 },
  ];
  expect(positionsOf(4, unfolded, null)).toEqual([
    { kind: "session", index: 0 },
    { kind: "session", index: 1 },
    { kind: "child", parent: "b", nth: 0, last: false },
    { kind: "child", parent: "b", nth: 1, last: true },
    { kind: "session", index: 2 },
    { kind: "session", index: 3 },
    { kind: "child", parent: "d", nth: 0, last: true },
  ]);
});

test("a group has a row above its sessions, and alone when it is folded", () => {
  const groups = [
    { sessions: 1, isFolded: false },
    { sessions: 2, isFolded: true },
    { sessions: 1, isFolded: false },
  ];
  const unfolded = [
    { id: "folded with its group", index: 1, children: 5 },
    { id: "d", index: 3, children: 1 },
  ];
  expect(positionsOf(4, unfolded, groups)).toEqual([
    { kind: "group", nth: 0 },
    { kind: "session", index: 0 },
    { kind: "group", nth: 1 },
    { kind: "group", nth: 2 },
    { kind: "session", index: 3 },
    { kind: "child", parent: "d", nth: 0, last: true },
  ]);
});

const plans = fc.array(fc.record({ children: fc.array(fc.nat(3), { maxLength: 6 }), isFolded: fc.boolean() }), {
  maxLength: 8,
});

test("each session and sub-agent of an open group has exactly one row, in order", () => {
  fc.assert(
    fc.property(plans, fc.boolean(), (plan, isGrouped) => {
      const all = plan.flatMap(({ children }) => children);
      const unfolded: Unfolded[] = all
        .map((children, index) => ({ id: `s${index}`, index, children }))
        .filter(({ children }) => children > 0);
      const groups: GroupPart[] = plan.map(({ children, isFolded }) => ({ sessions: children.length, isFolded }));
      let index = 0;
      const wanted = plan.flatMap(({ children, isFolded }, nth) => {
        const rows = children.flatMap((count) => {
          const id = `s${index++}`;
          return [id, ...Array.from({ length: count }, (_, at) => `${id}/${at}`)];
        });
        return [...(isGrouped ? [`group ${nth}`] : []), ...(isGrouped && isFolded ? [] : rows)];
      });
      const seen = positionsOf(all.length, unfolded, isGrouped ? groups : null).map((position) =>
        position.kind === "group"
          ? `group ${position.nth}`
          : position.kind === "session"
            ? `s${position.index}`
            : `${position.parent}/${position.nth}`,
      );
      expect(seen).toEqual(wanted);
    }),
  );
});
