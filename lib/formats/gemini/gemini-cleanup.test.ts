import { expect, test } from "vitest";
import { geminiCleanup as cleanup } from "./gemini-cleanup.ts";

test("the settings stand beside the folder of the chats", () => {
  const folder = cleanup.folder("/home/ada/.gemini/tmp/harbour/chats/session-2026-05-02T09-00-0c0ffee0.jsonl");
  expect(folder).toBe("/home/ada/.gemini/tmp");
  expect(cleanup.settings(folder!)).toBe("/home/ada/.gemini/settings.json");
  expect(cleanup.folder("/home/ada/.qwen/tmp/harbour/chats/session-1.json")).toBeNull();
});

test.each([
  [null, { days: 30, isDefault: true }],
  ["{}", { days: 30, isDefault: true }],
  [{ maxAge: "7d" }, { days: 7, isDefault: false }],
  [{ maxAge: "2w" }, { days: 14, isDefault: false }],
  [{ maxAge: "36h" }, { days: 1.5, isDefault: false }],
  [{ maxAge: "1m" }, { days: 30, isDefault: false }],
  [{ maxAge: "12h" }, "unknown"],
  [{ maxAge: "soon" }, "unknown"],
  [{ maxCount: 5 }, "unknown"],
  [{ enabled: false }, "never"],
  ["// with a comment\n{}", "unknown"],
])("of %j it says %j", (given, said) => {
  const settings = typeof given === "object" && given !== null ? { general: { sessionRetention: given } } : given;
  expect(cleanup.read(typeof settings === "object" && settings !== null ? JSON.stringify(settings) : settings)).toEqual(
    said,
  );
});
