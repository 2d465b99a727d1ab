import fc from "fast-check";
import { expect, test } from "vitest";
import { textPage } from "./text-page.ts";

const limits = { bytes: 300, lines: 4, chars: 10 };

/** Follows the continuations to the end, as a model would. */
function readAll(text: string): { whole: string; longest: number } {
  let whole = "";
  let longest = 0;
  let start: { start_line?: number; start_char?: number } = { start_line: 1 };
  for (let i = 0; i < 10_000; i++) {
    const page = textPage(text, start, limits);
    const lines = /\[lines \d+–\d+ of \d+; continue with start_line=(\d+)\]$/.exec(page);
    const chars =
      /\n\[chars \d+–(\d+) of (\d+) in line \d+(?:; continue with start_line=(\d+)(?:, start_char=(\d+))?)?\]$/.exec(
        page,
      );
    const part = page.slice(0, (lines ?? chars)?.index ?? page.length);
    longest = Math.max(longest, Buffer.byteLength(page));
    whole += part;
    if (lines !== null) start = { start_line: Number(lines[1]) };
    else if (chars?.[3] === undefined) return { whole, longest };
    else if (chars[4] !== undefined) start = { start_line: Number(chars[3]), start_char: Number(chars[4]) };
    else {
      whole += "\n";
      if (Number(chars[3]) > text.split("\n").length - (text.endsWith("\n") ? 1 : 0)) return { whole, longest };
      start = { start_line: Number(chars[3]) };
    }
  }
  throw new Error("the pages do not end");
}

test("the pages of any text are the text, and each is bounded", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\r", "\u2028"), maxLength: 40 });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), fc.boolean(), (lines, ends) => {
      const text = `${lines.join("\n")}${ends ? "\n" : ""}`;
      fc.pre(text !== "");
      const { whole, longest } = readAll(text);
      expect(whole).toBe(text);
      expect(longest).toBeLessThanOrEqual(300);
    }),
    { numRuns: 500 },
  );
});

test("a text within the limit is given whole, in bytes and not in characters", () => {
  expect(textPage("é".repeat(150), {}, limits)).toBe("é".repeat(150));
  expect(textPage("é".repeat(151), {}, limits)).toBe(
    `${"é".repeat(10)}\n[chars 0–10 of 151 in line 1; continue with start_line=1, start_char=10]`,
  );
});

test("with the product's limits no page is over its bound, for lines of any width", () => {
  for (const text of [
    "😀".repeat(200_000),
    "x".repeat(400_000),
    `${"y".repeat(1500)}\n`.repeat(400),
    "\n".repeat(300_000),
  ])
    for (const start of [{}, { start_line: 1 }, { start_line: 1, start_char: 3 }])
      expect(Buffer.byteLength(textPage(text, start))).toBeLessThanOrEqual(256 * 1024);
});

test("a start past the end says how long the artifact is", () => {
  expect(textPage("a\nb\n", { start_line: 3 }, limits)).toBe("[artifact has only 2 lines]");
  expect(textPage("abc", { start_char: 7 }, limits)).toBe("[line 1 has only 3 characters]");
});
