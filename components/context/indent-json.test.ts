import fc from "fast-check";
import { expect, test } from "vitest";
import { indentJson, LINE_CHARS } from "./indent-json.ts";

const MOST = 100_000;

test("what JSON.stringify indents, this indents the same", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const { lines, isCut } = indentJson(JSON.stringify(value), MOST);
      expect(lines.join("\n")).toBe(JSON.stringify(value, null, 2));
      expect(isCut).toBe(false);
    }),
  );
});

test("text that ends anywhere is shown up to there, with no character made up or lost", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat({ max: 200 }), (value, length) => {
      const text = JSON.stringify({ value }).slice(0, length);
      const shown = indentJson(text, MOST).lines.join("");
      expect(shown.replace(/\s/gu, "")).toBe(text.replace(/\s/gu, ""));
    }),
  );
});

test("a quote or a brace inside a string opens nothing", () => {
  expect(indentJson('{"a":"{\\"b\\":[1,2]}","c":[]}', MOST).lines).toEqual([
    "{",
    '  "a": "{\\"b\\":[1,2]}",',
    '  "c": []',
    "}",
  ]);
});

test("a string longer than a line goes on in the next, and lines past the cap are said to be cut", () => {
  const long = indentJson(JSON.stringify(["x".repeat(LINE_CHARS * 2)]), MOST);
  expect(Math.max(...long.lines.map((line) => line.length))).toBe(LINE_CHARS);
  expect(indentJson(JSON.stringify([1, 2, 3, 4]), 3)).toEqual({ lines: ["[", "  1,", "  2,"], isCut: true });
});
