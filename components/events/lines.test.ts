import { expect, test } from "vitest";
import { headOf, languageOf, numberedLines } from "./lines.ts";

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
