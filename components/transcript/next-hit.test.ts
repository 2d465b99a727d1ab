import { expect, test } from "vitest";
import { nextHit } from "./next-hit.ts";

test("n goes to the next hit and N to the one before, round at the ends", () => {
  const seqs = [4, 9, 30];
  expect([4, 9, 30].map((hit) => nextHit(seqs, hit, 1))).toEqual([9, 30, 4]);
  expect([4, 9, 30].map((hit) => nextHit(seqs, hit, -1))).toEqual([30, 4, 9]);
});

test("from an event that is no hit, the nearest in that direction is next", () => {
  expect(nextHit([4, 9, 30], 12, 1)).toBe(30);
  expect(nextHit([4, 9, 30], 12, -1)).toBe(9);
  expect(nextHit([4, 9, 30], null, 1)).toBe(4);
  expect(nextHit([], 12, 1)).toBeNull();
});
