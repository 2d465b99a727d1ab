import { expect, test } from "vitest";
import { callsLeft, growthOf } from "./recent-growth.ts";

const calls = (...prompts: number[]) => prompts.map((prompt) => ({ prompt }));

test("the growth of the last ten calls, and the calls that are left at it", () => {
  expect(growthOf(calls(100))).toBeNull();
  expect(growthOf(calls(100, 400, 700))).toEqual({ tokensPerCall: 300, calls: 2 });
  // Of twelve the first is too old.
  expect(growthOf(calls(0, ...Array.from({ length: 11 }, (_, i) => 5000 + 10 * i)))).toEqual({
    tokensPerCall: 10,
    calls: 10,
  });
  expect(callsLeft(700, 1900, { tokensPerCall: 300, calls: 2 })).toBe(4);
  expect(callsLeft(700, 1899, { tokensPerCall: 300, calls: 2 })).toBe(3);
  expect(callsLeft(2000, 1900, null)).toBe(0);
  expect(callsLeft(700, 1900, { tokensPerCall: -5, calls: 2 }), "it shrinks").toBeNull();
});
