import { expect, test } from "vitest";
import { byteRows, firstDifference } from "./byte-rows.ts";

const bytes = (length: number, change: Readonly<Record<number, number>> = {}): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => change[at] ?? at % 251);

test("the first byte that differs is found, one that is missing too", () => {
  expect(firstDifference(bytes(100), bytes(100))).toBeNull();
  expect(firstDifference(bytes(100), bytes(100, { 70: 1, 71: 1 }))).toBe(70);
  expect(firstDifference(bytes(100), bytes(90))).toBe(90);
  expect(firstDifference(bytes(0), bytes(1))).toBe(0);
});

test("rows begin a little before it, and say which bytes differ", () => {
  const rows = byteRows(bytes(1000), bytes(1000, { 70: 1, 75: 1 }), 70);
  expect(rows.map(({ offset }) => offset).slice(0, 3)).toEqual([32, 48, 64]);
  expect(rows.map(({ differs }) => differs).slice(0, 4)).toEqual([[], [], [6, 11], []]);
  expect(rows).toHaveLength(14);
  const end = byteRows(bytes(100), bytes(98), 98);
  expect(end.at(-1)).toMatchObject({ offset: 96, differs: [2, 3] });
});
