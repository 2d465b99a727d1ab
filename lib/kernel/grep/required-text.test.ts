// What a pattern asks of a text stands in each text that it finds.
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { parseGrepOptions } from "./grep-options.ts";
import { readPattern } from "./pattern.ts";
import { requiredText } from "./required-text.ts";

const CASES: readonly (readonly [pattern: string, ignoreCase: boolean, text: string, words: readonly string[]])[] = [
  ["no such file", false, "no such file", ["such"]],
  ["^no such file", false, "no such file", ["no", "such"]],
  [String.raw`ECONN\w+`, false, "ECONN", []],
  [String.raw`timed out after \d+ ms`, false, "timed out after ", ["out", "after"]],
  ["timed out", true, "timed out", []],
  ["no such disk", true, "uch di", []],
  ["naïve cafés: yes", false, "naïve cafés: yes", []],
  ["naïve men left, then", true, "ve men left, then", ["men", "left"]],
  ["colou?r of it here", false, "r of it here", ["of", "it"]],
  ["(ab|cd) of them all", false, " of them all", ["of", "them"]],
  ["ab|cd", false, "", []],
  ["((a|b)|c) the end", false, " the end", ["the"]],
  ["[a|)(] the end", false, " the end", ["the"]],
  [String.raw`(a\)|b) the end`, false, " the end", ["the"]],
  [String.raw`a\.b \[the\] \x41`, false, "a.b [the] A", ["the"]],
  [String.raw`\bthe\b end`, false, " end", []],
  ["an end{2} of it all", false, " of it all", ["of", "it"]],
  [String.raw`\{"id": one, two`, false, '{"id": one, two', ["id", "one"]],
  ["a+?+b", false, "b", []],
  ["(?i)Some things", false, "ome thing", []],
  ["here (?i:some) things", false, " thing", []],
  ["src/such/file and", false, "src/such/file and", []],
  ["a_such-one now and then", false, "a_such-one now and then", ["now", "and"]],
  ["*error in it", false, "error in it", ["in"]],
  ["", false, "", []],
];

test("it is the longest part that no sign makes optional, and the words that are whole in it", () => {
  for (const [pattern, ignoreCase, text, words] of CASES)
    expect([pattern, requiredText(pattern, ignoreCase)]).toMatchObject([pattern, { text, words }]);
});

test("each text that a pattern finds has it", () => {
  const atoms = [
    "a",
    "b",
    " the ",
    "k",
    "S",
    "ſ",
    "\u212a",
    "é",
    "_",
    "/",
    ".",
    "[ab]",
    "(a|b)",
    "(?:the )",
    "{",
    "{2}",
  ];
  const signs = ["", "", "", "*", "+", "?", "{0,2}", "??", "|", "^", "$", String.raw`\b`, String.raw`\.`];
  let seed = 20;
  const draw = <T>(of: readonly T[]): T => of[(seed = (seed * 48_271) % 2_147_483_647) % of.length]!;
  let found = 0;
  for (let n = 0; n < 2500; n++) {
    const ignoreCase = n % 2 === 0;
    const pattern = Array.from({ length: 1 + (n % 6) }, () => draw(atoms) + draw(signs)).join("");
    const options = parseGrepOptions(ignoreCase ? ["-i"] : []);
    const read = typeof options === "string" ? options : readPattern(pattern, options);
    if (typeof read === "string") continue;
    const text = Array.from({ length: 12 }, () =>
      draw(["a", "b", " ", "the", " the ", "K", "s", "\u212a", "é", "{", "."]),
    ).join("");
    if (!RE2JS.compile(read.re2, RE2JS.MULTILINE).matcher(text).find()) continue;
    found++;
    const required = requiredText(pattern, ignoreCase);
    const [whole, part] = ignoreCase ? [lower(text), lower(required.text)] : [text, required.text];
    expect([pattern, text, whole.includes(part)]).toEqual([pattern, text, true]);
    expect([pattern, text, required.words.filter((word) => !text.split(/[^\p{L}]+/u).includes(word))]).toEqual([
      pattern,
      text,
      [],
    ]);
  }
  expect(found).toBeGreaterThan(150);
});

/** As PostgreSQL compares without a language: ASCII alone has cases. */
const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (char) => char.toLowerCase());
