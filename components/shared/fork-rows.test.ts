import { expect, test } from "vitest";
import type { ForkGroup } from "#lib/wire/forks-schema.ts";
import { foldedFamily, forkRows } from "./fork-rows.ts";

const OUTLINE = { seq: [1, 2, 4, 6, 8, 10, 12], tokens: [5, 10, 10, 10, 7, 10, 10] };
const group = (...seqs: number[]): ForkGroup => ({
  forks: seqs.map((seq) => ({ session: `s${seq}`, seq })),
  events: 3,
});
const all = () => true;
const told = (rows: ReturnType<typeof forkRows>) => ({ runs: [...rows.runs], folded: [...rows.folded] });

test("identical forks that follow each other are folded into the first of them", () => {
  expect(told(forkRows(OUTLINE, [group(2, 4, 6)], [], all))).toEqual({
    runs: [[1, { count: 3, tokens: 30, isOpen: false }]],
    folded: [2, 3],
  });
});

test("an opened run hides nothing, and says still that it is one", () => {
  expect(told(forkRows(OUTLINE, [group(2, 4, 6)], [2], all))).toEqual({
    runs: [[1, { count: 3, tokens: 30, isOpen: true }]],
    folded: [],
  });
});

test("another row between them parts a run, unless it is not shown", () => {
  const parted = [group(4, 6, 10, 12)];
  expect(told(forkRows(OUTLINE, parted, [], all))).toEqual({
    runs: [
      [2, { count: 2, tokens: 20, isOpen: false }],
      [5, { count: 2, tokens: 20, isOpen: false }],
    ],
    folded: [3, 6],
  });
  expect(told(forkRows(OUTLINE, parted, [], (i) => i !== 4)).runs).toEqual([
    [2, { count: 4, tokens: 40, isOpen: false }],
  ]);
});

test("two groups side by side are two runs; one alone is none", () => {
  expect(told(forkRows(OUTLINE, [group(2, 4), group(6)], [], all))).toEqual({
    runs: [[1, { count: 2, tokens: 20, isOpen: false }]],
    folded: [2],
  });
  expect(told(forkRows(OUTLINE, [group(2, 4), group(6, 8)], [], all)).folded).toEqual([2, 4]);
});

test("a family shows one of the identical, and the others below it when it is opened", () => {
  const family = ["s2", "s3", "s4", "s6"].map((id) => ({ id }));
  const shown = (open: string[]) =>
    foldedFamily(family, [group(2, 4, 6)], open).map(({ row, count }) => [row.id, count]);
  expect(shown([])).toEqual([
    ["s2", 3],
    ["s3", 1],
  ]);
  expect(shown(["s2"])).toEqual([
    ["s2", 3],
    ["s4", 1],
    ["s6", 1],
    ["s3", 1],
  ]);
});
