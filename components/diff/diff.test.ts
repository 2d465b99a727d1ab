import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DiffRows, type DiffPosition } from "./diff-rows.ts";
import { diffLines } from "./line-diff.ts";
import { comparedSides, type ReadSide } from "./sides.ts";
import { wordMarks } from "./word-marks.ts";

const NOW = 10_000;
const line = fc.constantFrom("a", "b", "c", "d", "");
const lines = fc.array(line, { maxLength: 40 });

/** Both texts as the runs tell them. */
function compared(left: readonly string[], right: readonly string[], timeoutMs: number) {
  const { runs, added, removed } = diffLines(left, right, timeoutMs);
  let l = 0;
  let r = 0;
  let plus = 0;
  let minus = 0;
  for (const run of runs) {
    expect([run.left, run.right]).toEqual([l, r]);
    if (run.isSame) {
      expect(run.leftCount).toBe(run.rightCount);
      expect(left.slice(l, l + run.leftCount)).toEqual(right.slice(r, r + run.rightCount));
    } else {
      plus += run.rightCount;
      minus += run.leftCount;
    }
    l += run.leftCount;
    r += run.rightCount;
  }
  expect([l, r, plus, minus]).toEqual([left.length, right.length, added, removed]);
  return runs;
}

describe("lines", () => {
  test("any two texts: runs cover both, in order, and what is called the same is", () => {
    fc.assert(
      fc.property(lines, lines, (left, right) => void compared(left, right, NOW)),
      { numRuns: 500 },
    );
  });

  test("so they do when there is no time for the fewest changes", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60)), fc.array(fc.nat(60)), (left, right) => {
        compared(left.map(String), right.map(String), -1);
      }),
      { numRuns: 500 },
    );
    const left = Array.from({ length: 2000 }, (_, at) => `line ${at}`);
    const right = left.flatMap((text, at) => (at % 10 === 0 ? [`new ${at}`, text] : at % 17 === 0 ? [] : [text]));
    const found = diffLines(left, right, -1);
    expect(found.isFewest).toBe(false);
    expect([found.added, found.removed]).toEqual([200, left.filter((_, at) => at % 10 !== 0 && at % 17 === 0).length]);
  });

  test("the same text has no change, an empty one is all change", () => {
    expect(diffLines(["a"], ["a"], NOW)).toMatchObject({ added: 0, removed: 0, isFewest: true });
    expect(diffLines([], ["a", "b"], NOW).runs).toEqual([
      { isSame: false, left: 0, leftCount: 0, right: 0, rightCount: 2 },
    ]);
    expect(diffLines([], [], NOW).runs).toEqual([]);
  });
});

describe("rows", () => {
  const left = Array.from({ length: 60 }, (_, at) => `l${at}`);
  const right = left.map((text, at) => (at === 30 ? "changed" : text)).concat("added");
  const { runs } = diffLines(left, right, NOW);

  test("unchanged stretches fold to three lines beside a change, and open one by one", () => {
    const folded = new DiffRows(runs, "split", new Set(), false);
    expect(folded.window(0, 3)[0]).toEqual({ kind: "fold", run: 0, lines: 27 });
    expect(folded.changes).toEqual([4, 12]);
    expect(folded.count).toBe(13);
    const opened = new DiffRows(runs, "split", new Set([0]), false);
    expect(opened.count).toBe(13 - 1 + 27);
    expect(new DiffRows(runs, "split", new Set(), true).count).toBe(61);
    expect(new DiffRows(runs, "unified", new Set(), true).count).toBe(62);
  });

  test("any window is the part of the whole, in both modes, and holds every line", () => {
    fc.assert(
      fc.property(
        lines,
        lines,
        fc.constantFrom("split" as const, "unified" as const),
        fc.nat(30),
        fc.nat(30),
        (a, b, mode, from, size) => {
          const rows = new DiffRows(diffLines(a, b, NOW).runs, mode, new Set(), true);
          const all = rows.window(0, rows.count);
          expect(all).toHaveLength(rows.count);
          expect(rows.window(from, from + size)).toEqual(all.slice(from, from + size));
          const of = (side: "left" | "right") =>
            all.flatMap((row: DiffPosition) => (row.kind === "line" && row[side] !== null ? [row[side]] : []));
          expect(of("left")).toEqual(a.map((_, at) => at));
          expect(of("right")).toEqual(b.map((_, at) => at));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a changed line is read against its partner", () => {
    const rows = new DiffRows(runs, "unified", new Set(), false);
    expect(rows.partner(4)).toEqual({ left: 30, right: 30 });
    expect(rows.partner(5)).toEqual({ left: 30, right: 30 });
    expect(rows.partner(0)).toBeNull();
  });
});

describe("words", () => {
  test("what differs in a line is marked, in lines that are alike", () => {
    expect(wordMarks("total += cp.LinesAdded", "total += cp.LinesSince(prev)")).not.toEqual({ left: [], right: [] });
    expect(wordMarks("a long line of words one", "a long line of words two")).toEqual({
      left: [[21, 24]],
      right: [[21, 24]],
    });
    expect(wordMarks("quite another", "12345 67890 12345")).toEqual({ left: [], right: [] });
  });

  test("a line of 1 MB is told apart by its ends", () => {
    const long = "x".repeat(500_000);
    expect(wordMarks(`${long}a${long}`, `${long}b${long}`)).toEqual({
      left: [[500_000, 500_001]],
      right: [[500_000, 500_001]],
    });
  });
});

describe("both sides are compared in one layout", () => {
  const side = (text: string, change: Partial<ReadSide> = {}): ReadSide => ({
    text,
    json: "document",
    isCut: false,
    ...change,
  });

  test("laid out when both can be", () => {
    expect(comparedSides(side('{"b":1}'), side('{"b":2}'), "laid")).toEqual({
      left: '{\n  "b": 1\n}',
      right: '{\n  "b": 2\n}',
      notes: [],
    });
  });

  test("as they are stored when one cannot be, which is said", () => {
    for (const [left, right, said] of [
      [side('{"b":1}'), side('{"b":1'), "The right side cannot"],
      [side('{"b":'), side('{"b":1}'), "The left side cannot"],
      [side('{"b":'), side('{"b":'), "Neither side can"],
      [side('{"b":1}'), side('{"b":1}', { isCut: true }), "too long to format as JSON"],
    ] as const) {
      const sides = comparedSides(left, right, "sorted");
      expect([sides.left, sides.right]).toEqual([left.text, right.text]);
      expect(sides.notes).toEqual([expect.stringContaining(said)]);
    }
  });

  test("as they are stored when that is asked, or one is no JSON, without a word", () => {
    const stored = { left: '{"b":1}', right: "b", notes: [] };
    expect(comparedSides(side('{"b":1}'), side("b"), "stored")).toEqual(stored);
    expect(comparedSides(side('{"b":1}'), side("b", { json: null }), "laid")).toEqual(stored);
  });
});
