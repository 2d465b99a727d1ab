import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { copyOf } from "./copy-grep.ts";
import { readWords, wordsFor } from "./grep-words.ts";

const choice = fc.record({
  ignoreCase: fc.boolean(),
  word: fc.boolean(),
  line: fc.boolean(),
  invert: fc.boolean(),
  fixed: fc.boolean(),
  before: fc.integer({ min: 0, max: 99 }),
  after: fc.integer({ min: 0, max: 99 }),
});

test("what is chosen comes back from the words that it is written in", () => {
  fc.assert(
    fc.property(choice, (chosen) => {
      expect(readWords(wordsFor(chosen).join(" "))).toEqual(chosen);
    }),
  );
});

test("words as people write them are read, others are named", () => {
  expect(readWords("-iw -C 2")).toMatchObject({ ignoreCase: true, word: true, before: 2, after: 2 });
  expect(readWords("-A1000000")).toMatchObject({ after: 99 });
  expect(readWords("--recursive")).toBe("option not allowed: --recursive");
});

const search = { pointer: "art:0", id: "art_0123456789abcdef", words: ["-i", "-C2"] };

test.each(['it\'s $(id) `id` "x" \\d', "-v", "a b", "--", "*", "'", "€ 😀"])(
  "a shell takes the pattern %s as it is",
  (pattern) => {
    const printed = (command: string, name: string) =>
      execFileSync("sh", ["-c", `${name}() { printf '%s\\0' "$@"; }; ${command}`])
        .toString()
        .split("\0")
        .slice(0, -1);
    const grep = copyOf("grep", { ...search, pattern }, "http://x")
      .split(" | ")
      .slice(1)
      .join(" | ");
    expect(printed(grep, "grep")).toEqual(["-n", "-E", "-i", "-C2", "-e", pattern]);
    const words = printed(copyOf("plimsoll", { ...search, pattern }, "http://x"), "plimsoll");
    expect(words).toEqual(["grep", "-n", "-i", "-C2", "--", "art:0", pattern]);
    const address = printed(copyOf("curl", { ...search, pattern }, "http://x"), "curl").at(-1)!;
    expect(new URL(address).searchParams.get("pattern")).toBe(pattern);
    expect(new URL(address).searchParams.get("options")).toBe("-i -C2");
    expect(JSON.parse(copyOf("mcp", { ...search, pattern }, "http://x"))).toMatchObject({
      params: { name: "artifact_grep", arguments: { artifact_id: search.id, pattern, grep_options: ["-i", "-C2"] } },
    });
  },
);
