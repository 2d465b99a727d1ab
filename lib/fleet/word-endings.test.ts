import { expect, test } from "vitest";
import { endedWords } from "./word-endings.ts";

test("a beginning within an ending goes on to its end", () => {
  expect(endedWords("generali")).toContain("generalize");
  expect(endedWords("generali")).toContain("generality");
  expect(endedWords("runni")).toContain("running");
  expect(endedWords("connectio")).toEqual(expect.arrayContaining(["connection", "connections"]));
  for (const whole of ["test", "error", "gen", "ing", "läu", "日本", "x1"]) expect(endedWords(whole)).toEqual([]);
});
