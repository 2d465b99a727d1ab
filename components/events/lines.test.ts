import { expect, test } from "vitest";
import { languageOfText } from "./event-lines.ts";
import { numberedLines } from "#lib/kernel/numbered-lines.ts";
import { headOf, languageOf, withoutExecHeader } from "./event-lines.ts";

test("numbers that a read tool wrote stand apart from the file's text", () => {
  expect(numberedLines("     1→package strategy\n     2→\n    10→// x")).toEqual([
    { number: 1, text: "package strategy" },
    { number: 2, text: "" },
    { number: 10, text: "// x" },
  ]);
});

test("text without numbers keeps its lines whole", () => {
  expect(numberedLines("a\n12\tb\nc\nd").every((line) => line.number === null)).toBe(true);
});

test("the line of trouble comes first in an error, and only there", () => {
  const text = "ok one\nok two\nx.go:3: error: broken\nok three\n";
  expect(headOf(text, 3, true)).toEqual({ lines: ["ok one", "ok two"], first: "x.go:3: error: broken", total: 4 });
  expect(headOf(text, 3, false)).toEqual({
    lines: ["ok one", "ok two", "x.go:3: error: broken"],
    first: null,
    total: 4,
  });
  expect(headOf("", 3, true).total).toBe(0);
});

test("a file name says its language, or nothing", () => {
  expect([languageOf("/a/b.go"), languageOf("C:\\x\\Dockerfile"), languageOf("notes")]).toEqual(["go", "docker", null]);
});

test("the header that Codex writes before an output is no output", () => {
  const header =
    "Chunk ID: 35c58d\nWall time: 0.0189 seconds\nProcess exited with code 0\nOriginal token count: 4\nOutput:\n";
  expect(withoutExecHeader(`${header}one\ntwo`)).toBe("one\ntwo");
  expect(withoutExecHeader("Exit code: 1\nWall time: 2 seconds\nOutput:\nx")).toBe("x");
  expect(withoutExecHeader("Output:\nof a test")).toBe("Output:\nof a test");
});

test("an output that begins as JSON or a difference is known by it, and a log is not", () => {
  expect(['{ "a": 1 }', "[\n  {", "[1, 2]", '["x"]'].map(languageOfText)).toEqual(["json", "json", "json", "json"]);
  expect(["diff --git a/x b/x", "--- a/x\n+++ b/x\n@@"].map(languageOfText)).toEqual(["diff", "diff"]);
  expect(["[INFO] started", "{ok}", "--- FAIL: Test", "", "plain"].map(languageOfText)).toEqual(Array(5).fill(null));
});
