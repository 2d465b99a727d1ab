import { expect, test } from "vitest";
import { partName, spanWords } from "./lifetime-words.ts";

const call = (number: number) => ({
  call: number,
  seq: number * 10,
  epoch: 1,
  model: null,
  inherited: false,
  prompt: 1000,
  isReported: true,
  tokens: 10,
  cached: 0,
  usd: null,
});

test("the calls that carried a row are told as spans", () => {
  const words = (numbers: number[], sessionCalls = 84) => spanWords({ calls: numbers.map(call), sessionCalls });
  expect(words([2, 3, 4])).toBe("Carried by 3 of 84 calls: 2–4.");
  expect(words([7])).toBe("Carried by 1 of 84 calls: 7.");
  expect(words([2, 3, 9, 10, 11])).toBe("Carried by 5 of 84 calls: 2–3, 9–11.");
  expect(words([1, 3, 5, 7])).toBe("Carried by 4 of 84 calls: 1, 3, 5, and 1 more.");
  expect(words([])).toBe("No model call carried this event.");
  expect(words([], 0)).toBe("The session has no model calls.");
});

test("parts are named as the transcript names them", () => {
  expect(["tool_call", "tool_result", "user", "meta"].map((type) => partName(type as "user"))).toEqual([
    "Call",
    "Result",
    "User",
    "Record",
  ]);
});
