import fc from "fast-check";
import { expect, test } from "vitest";
import { countChanges, diffOfHunks, diffOfPatch, diffOfTexts, foldSame } from "./diff.ts";
import { processorMs } from "#lib/kernel/testing-processor-time.ts";

const text = fc.array(fc.constantFrom("a", "b", "c", "", "  d"), { maxLength: 14 }).map((lines) => lines.join("\n"));

test("the old text is what is same or removed, the new one what is same or added", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffOfTexts(before, after);
      const side = (drop: "add" | "del") =>
        lines
          .filter((line) => line.kind !== drop)
          .map((line) => line.text)
          .join("\n");
      expect(side("add")).toBe(before);
      expect(side("del")).toBe(after);
    }),
  );
});

test("one changed line in the middle is one removed and one added, and only the word is marked", () => {
  const lines = diffOfTexts("a\ntotal += cp.LinesAdded\nb", "a\ntotal += cp.LinesSince(prev)\nb");
  expect(lines.map((line) => line.kind)).toEqual(["same", "del", "add", "same"]);
  const [from, to] = lines[1]?.changed ?? [0, 0];
  expect(lines[1]?.text.slice(from, to)).toBe("Added");
});

test("hunks keep the file's own line numbers", () => {
  const lines = diffOfHunks([{ oldStart: 218, newStart: 218, lines: [" for {", "-x", "+y", "+z", " }"] }]);
  expect(lines.map((line) => [line.old, line.new])).toEqual([
    [218, 218],
    [219, null],
    [null, 219],
    [null, 220],
    [220, 221],
  ]);
  expect(countChanges(lines)).toEqual({ added: 2, removed: 1 });
});

test("a patch of apply_patch is read file by file", () => {
  const lines = diffOfPatch(
    "*** Begin Patch\n*** Update File: a.ts\n@@ function f\n keep\n-old\n+new\n*** Add File: b.ts\n+one\n*** End Patch",
  );
  expect(lines.map((line) => line.kind)).toEqual(["file", "gap", "same", "del", "add", "file", "add"]);
});

test("long unchanged stretches fold to a gap that says how many", () => {
  const before = Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n");
  const folded = foldSame(diffOfTexts(before, before.replace("line 50", "changed")), 3);
  expect(folded.map((line) => line.kind)).toEqual([
    "gap",
    "same",
    "same",
    "same",
    "del",
    "add",
    "same",
    "same",
    "same",
    "gap",
  ]);
  expect(folded[0]?.text).toBe("47 unchanged lines");
});

test("texts too large to compare in full are all removed and all added, quickly", () => {
  const big = (word: string) => Array.from({ length: 4000 }, (_, i) => `${word} ${i}`).join("\n");
  const took = processorMs(() =>
    expect(countChanges(diffOfTexts(big("a"), big("b")))).toEqual({ added: 4000, removed: 4000 }),
  );
  expect(took).toBeLessThan(1000);
});
