import { expect, test } from "vitest";
import type { OutlineAnswer } from "#lib/wire/events-schema.ts";
import { hitRows, nextRow, positionAmong, rowAt } from "./next-hit.ts";

// Calls 9 and 10 ran side by side: their results are 11 and 12.
const outline = { seq: [4, 9, 10, 30], pair: [0, 12, 11, 0] } as unknown as OutlineAnswer;
const rows = hitRows({ seqs: [4, 9, 11, 12, 30], counts: [2, 1, 5, 3, 1] }, outline);

test("a call and its result are one row of hits, in the order of the transcript", () => {
  expect(rows.map(({ seq, count }) => [seq, count])).toEqual([
    [4, 2],
    [9, 4],
    [11, 5],
    [30, 1],
  ]);
  expect([4, 9, 10, 11, 12, 30, 5].map((event) => rowAt(rows, event))).toEqual([0, 1, 2, 2, 1, 3, -1]);
});

test("the next row with a hit, and the one before, round at the ends", () => {
  const seqs = (events: (number | null)[], by: 1 | -1) => events.map((event) => nextRow(rows, event, by)?.seq);
  expect(seqs([4, 12, 10, 30, null, 6], 1)).toEqual([9, 11, 30, 4, 4, 9]);
  expect(seqs([4, 12, 10, 30, null, 6], -1)).toEqual([30, 4, 9, 11, 30, 4]);
  expect(nextRow([], 12, 1)).toBeNull();
});

test("an occurrence is counted from the first of the session", () => {
  expect(positionAmong(rows, 0, 0)).toBe(1);
  expect(positionAmong(rows, 1, 3)).toBe(6);
  expect(positionAmong(rows, 2, 0)).toBe(7);
  expect(positionAmong(rows, 1, 99)).toBe(6);
});
