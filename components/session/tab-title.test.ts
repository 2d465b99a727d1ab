import { expect, test } from "vitest";
import { sessionTabTitle, shortTitle } from "./tab-title.ts";

test("a tab names its session first, then what of it is shown", () => {
  expect(sessionTabTitle("Fix the leak", "transcript")).toBe("Fix the leak");
  expect(sessionTabTitle("Fix the leak", "load")).toBe("Fix the leak · Load");
  expect(sessionTabTitle("", "tools")).toBe("Untitled session · Tools");
  expect(sessionTabTitle("Fix the leak", "toString")).toBe("Fix the leak");
});

test("a long title is cut at a word, on one line, with nothing hidden", () => {
  const title = shortTitle(`Compare line attribution\nwith ${"the approach of our cli ".repeat(5)}`);
  expect(title).toBe("Compare line attribution with the approach of our cli the…");
  expect(shortTitle("x".repeat(100))).toBe(`${"x".repeat(60)}…`);
  expect(shortTitle("a\u202Eb")).toBe("a[U+202E]b");
});
