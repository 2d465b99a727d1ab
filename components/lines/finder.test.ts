import fc from "fast-check";
import { expect, test } from "vitest";
import { finderOf } from "./finder.ts";

const found = (pattern: string, words: string[], line: string) =>
  finderOf(pattern, words)
    ?.find(line, 100)
    .map(([from, to]) => line.slice(from, to));

test("matches are found as grep finds them", () => {
  expect(found("tern|knot", [], "MV Tern, a knot, a tern")).toEqual(["knot", "tern"]);
  expect(found("tern|knot", ["-i"], "MV Tern, a knot, a tern")).toEqual(["Tern", "knot", "tern"]);
  expect(found("a.c", ["-F"], "abc a.c")).toEqual(["a.c"]);
  expect(found("[0-9]+", ["-w"], "12 x34 56 78y 90")).toEqual(["12", "56", "90"]);
  expect(found("ab", ["-w"], "ab ab ab")).toEqual(["ab", "ab", "ab"]);
  expect(found("quay 3", ["-x"], "quay 3")).toEqual(["quay 3"]);
  expect(found("quay", ["-x"], "quay 3")).toEqual([]);
  expect(found("😀+", [], "a 😀😀 b 😀")).toEqual(["😀😀", "😀"]);
  expect(found("x*", [], "axxb")).toEqual(["xx"]);
});

test("nothing is marked of an inverted search, nor of a pattern that is refused", () => {
  expect(finderOf("a", ["-v"])).toBeNull();
  expect(finderOf("(a", [])).toBeNull();
  expect(finderOf("(a)\\1", [])).toBeNull();
  expect(finderOf("a", ["-z"])).toBeNull();
  expect(finderOf("", [])).toBeNull();
});

test("whatever is typed, places are in order, inside the line and not empty", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.subarray(["-i", "-w", "-x", "-F"]),
      fc.string({ unit: "grapheme" }),
      (pattern, words, line) => {
        let before = 0;
        for (const [from, to] of finderOf(pattern, words)?.find(line, 50) ?? []) {
          expect(from).toBeGreaterThanOrEqual(before);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(line.length);
          before = to;
        }
      },
    ),
  );
});
