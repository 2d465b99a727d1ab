import { expect, test } from "vitest";
import { BLOCK_MS, blocksOf, burnOf, projectionOf, type TimedCalls } from "./usage-blocks.ts";

const HOUR = 3_600_000;
const at = (hours: number): TimedCalls => ({
  first: hours * HOUR,
  last: hours * HOUR,
  ...{ model: "m", calls: 1, input: 0, read: 0, written: 0, output: 0, usd: 1, unsure: 0 },
});

test("a block begins with the hour of its first call and lasts five hours", () => {
  const blocks = blocksOf([at(9.5), at(13.9), at(14), at(30.25)], 31 * HOUR);
  expect(blocks.map(({ start, end, parts, isActive }) => [start / HOUR, end / HOUR, parts.length, isActive])).toEqual([
    [9, 14, 2, false],
    [14, 19, 1, false],
    [30, 35, 1, true],
  ]);
  expect((blocks[0]!.last - blocks[0]!.first) / HOUR).toBeCloseTo(4.4, 9);
  expect(BLOCK_MS).toBe(5 * HOUR);
});

test("the burn rate is of the time between calls, and is carried on to the block's end", () => {
  const block = { first: 9 * HOUR, last: 11 * HOUR, end: 14 * HOUR };
  expect(burnOf(block, 1200, 6)).toEqual({ tokensPerMinute: 10, costPerHour: 3 });
  expect(projectionOf(block, { tokens: 1200, usd: 6, now: 12 * HOUR })).toEqual({
    totalTokens: 2400,
    totalCost: 12,
    remainingMinutes: 120,
  });
  expect(burnOf({ first: 5, last: 10 }, 100, 1)).toBeNull();
});
