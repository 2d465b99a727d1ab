import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonTokens } from "./json-tokens.ts";
import { LINE_CHARS, Output } from "./jq-output-view.ts";

test("lines are those of the whole text, wherever it was cut", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a\n]{0,6}$/)), (pieces) => {
      const output = new Output();
      for (const piece of pieces) output.append(piece);
      const text = pieces.join("");
      const lines = text.endsWith("\n") || text === "" ? text.split("\n").slice(0, -1) : text.split("\n");
      expect(output.text).toBe(text);
      expect(Array.from({ length: output.lineCount }, (_, at) => output.lineAt(at).text)).toEqual(lines);
    }),
  );
});

test("a line of a megabyte is shown by its beginning, and the rest is counted", () => {
  const output = new Output();
  output.append(`"${"x".repeat(1_000_000)}"\n1\n`);
  expect(output.lineAt(0).text).toHaveLength(LINE_CHARS);
  expect(output.lineAt(0).more).toBe(1_000_002 - LINE_CHARS);
  expect(output.lineAt(1)).toEqual({ text: "1", more: 0 });
});

test("the parts of a line are the line, and keys are told from strings", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(40), (json, cut) => {
      const line = json.slice(0, json.length - cut);
      expect(
        jsonTokens(line)
          .map(({ text }) => text)
          .join(""),
      ).toBe(line);
    }),
  );
  const kinds = jsonTokens('{"a\\"b": -1.5e+3, "c", null').filter(({ kind }) => kind !== "mark");
  expect(kinds.map(({ kind, text }) => [kind, text])).toEqual([
    ["key", '"a\\"b"'],
    ["number", "-1.5e+3"],
    ["string", '"c"'],
    ["word", "null"],
  ]);
});
