import { expect, test } from "vitest";
import { knownLine } from "./compaction-line.ts";

test.each([
  ["2.1.7", 200_000, 155_000],
  ["2.1.20", 200_000, 155_000],
  ["2.0.76", 200_000, 155_000],
  ["2.1.22", 200_000, null],
  ["2.1.25", 200_000, 167_000],
  ["2.1.219", 200_000, 167_000],
  ["3.0.0-beta", 200_000, 167_000],
  ["2.1.39", 1_000_000, null],
  [null, 200_000, null],
  ["next", 200_000, null],
])("Claude Code %s in a window of %i compacts at %s", (agentVersion, window, line) => {
  expect(knownLine({ format: "claude-code", agentVersion }, window)).toBe(line);
});

test("nothing is known of another agent", () => {
  expect(knownLine({ format: "codex", agentVersion: "2.1.39" }, 200_000)).toBeNull();
});
