import fc from "fast-check";
import { expect, test } from "vitest";
import { ROW_FLAG } from "#lib/kernel/log/row-filter.ts";
import type { OutlineAnswer } from "#lib/wire/events-schema.ts";
import {
  barPx,
  errorRow,
  hasRow,
  pagesFor,
  positionOf,
  rowsOf,
  sideEntries,
  stepsFrom,
  turnRow,
  unshownEvent,
  wholeBarPx,
} from "./transcript-rows.ts";

/** Rows as they are without a filter. */
const layout = (outline: OutlineAnswer, withHidden: boolean, wanted: number | null) =>
  rowsOf(outline, { passes: passesOf(outline, withHidden), wanted });
const passesOf = (outline: OutlineAnswer, withHidden: boolean) => (i: number) =>
  withHidden || ((outline.flags[i] ?? 0) & ROW_FLAG.hidden) === 0;

type Row = { seq: number; pair?: number; tokens?: number; flags?: number; turn?: number; type?: string };

function outlineOf(rows: Row[], compactions: number[] = []): OutlineAnswer {
  const types = ["user", "assistant", "tool_call", "meta"];
  const turns = new Map<number, number>();
  for (const row of rows) if (!turns.has(row.turn ?? 1)) turns.set(row.turn ?? 1, row.seq);
  return {
    seq: rows.map((row) => row.seq),
    tool: rows.map(() => 0),
    tools: [],
    type: rows.map((row) => types.indexOf(row.type ?? "tool_call")),
    types,
    turn: rows.map((row) => row.turn ?? 1),
    call: rows.map((_, i) => i),
    pair: rows.map((row) => row.pair ?? 0),
    bytes: rows.map(() => 100),
    tokens: rows.map((row) => row.tokens ?? 1),
    origins: rows.map(() => 1),
    labels: rows.map(() => "Read a.ts"),
    flags: rows.map((row) => row.flags ?? 0),
    turns: [...turns].map(([turn, seq]) => ({ turn, seq, title: `turn ${turn}`, tokens: 1, ts: null })),
    rewinds: [],
    compactions: compactions.map((seq) => ({ seq, tokensBefore: 10, tokensAfter: 5 })),
    version: "1",
  };
}

test("rows that are hidden by default appear when asked for, or when their event is wanted", () => {
  const outline = outlineOf([{ seq: 1 }, { seq: 2, flags: ROW_FLAG.hidden, type: "meta" }, { seq: 3 }]);
  expect(layout(outline, false, null).shown).toEqual([0, 2]);
  expect(layout(outline, true, null).shown).toEqual([0, 1, 2]);
  expect(layout(outline, false, 2).shown).toEqual([0, 1, 2]);
  expect(layout(outline, false, null).hiddenCount).toBe(1);
});

test("an event is found in its own row, a result in the row of its call", () => {
  // Two calls side by side: 2 and 3 asked, 4 and 5 came back.
  const rows = layout(outlineOf([{ seq: 1 }, { seq: 2, pair: 4 }, { seq: 3, pair: 5 }, { seq: 6 }]), false, null);
  expect([1, 2, 3, 4, 5, 6, 99].map((seq) => positionOf(rows, seq))).toEqual([0, 1, 2, 1, 2, 3, 3]);
  expect(positionOf(rows, 0)).toBe(-1);
});

test("every shown row is found by its seq", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 200 }), (seqs) => {
      const rows = layout(outlineOf(seqs.toSorted((a, b) => a - b).map((seq) => ({ seq }))), false, null);
      rows.shown.forEach((i, position) => expect(positionOf(rows, rows.outline.seq[i] ?? 0)).toBe(position));
    }),
  );
});

test("pages cover rows and their results, once each", () => {
  const rows = layout(outlineOf([{ seq: 99, pair: 350 }, { seq: 100 }, { seq: 101 }]), false, null);
  expect(pagesFor(rows, 0, 2)).toEqual([0, 1, 3]);
});

test("the longest bar of each epoch is 104 px, and something is never nothing", () => {
  const rows = layout(
    outlineOf(
      [
        { seq: 1, tokens: 50 },
        { seq: 2, tokens: 10_000 },
        { seq: 4, tokens: 20 },
        { seq: 5, tokens: 0 },
      ],
      [3],
    ),
    false,
    null,
  );
  expect([0, 1, 2, 3].map((i) => barPx(rows, i))).toEqual([2, 104, 104, 0]);
});

test("turns step over the rows between them", () => {
  const rows = layout(
    outlineOf([
      { seq: 1, turn: 1 },
      { seq: 2, turn: 1 },
      { seq: 3, turn: 2 },
      { seq: 4, turn: 2 },
    ]),
    false,
    null,
  );
  expect(turnRow(rows, 0, 1)).toBe(2);
  expect(turnRow(rows, 3, -1)).toBe(2);
  expect(turnRow(rows, 2, 1)).toBe(2);
});

test("compactions stand between turns, in order", () => {
  const outline = outlineOf(
    [
      { seq: 1, turn: 1 },
      { seq: 9, turn: 2 },
    ],
    [9],
  );
  expect(sideEntries(outline).map((entry) => entry.kind)).toEqual(["turn", "compaction", "turn"]);
});

test("an event whose row is hidden is known as such, until it is wanted", () => {
  const outline = outlineOf([{ seq: 1 }, { seq: 2, flags: ROW_FLAG.hidden, type: "meta" }, { seq: 3, pair: 5 }]);
  expect([1, 2, 5, 9, null].map((seq) => unshownEvent(outline, seq, passesOf(outline, false)))).toEqual([
    null,
    2,
    null,
    null,
    null,
  ]);
  expect(hasRow(layout(outline, false, null), 2)).toBe(false);
  expect(hasRow(layout(outline, false, 2), 2)).toBe(true);
  expect(hasRow(layout(outline, false, null), 5)).toBe(true);
});

test("a step starts from the chosen event while it is on screen, else from the top row", () => {
  const rows = layout(outlineOf([{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }]), false, null);
  expect(stepsFrom(rows, null, { first: 2, last: 4 })).toEqual({ at: 1, isChosen: false });
  expect(stepsFrom(rows, 3, { first: 2, last: 4 })).toEqual({ at: 2, isChosen: true });
  expect(stepsFrom(rows, 1, { first: 2, last: 4 })).toEqual({ at: 1, isChosen: false });
  // Nothing has been drawn yet.
  expect(stepsFrom(rows, null, null)).toEqual({ at: 0, isChosen: false });
  expect(stepsFrom(rows, 1, null)).toEqual({ at: 0, isChosen: true });
});

test("what would have been there is drawn on the scale of the bars, and cut where it is longer than the column", () => {
  const rows = layout(
    outlineOf([
      { seq: 1, tokens: 1000 },
      { seq: 2, tokens: 100 },
    ]),
    false,
    null,
  );
  expect(barPx(rows, 1)).toBe(10);
  expect(wholeBarPx(rows, 1, 500)).toEqual({ px: 52, isCut: false });
  expect(wholeBarPx(rows, 1, 1000)).toEqual({ px: 104, isCut: false });
  expect(wholeBarPx(rows, 1, 40_000)).toEqual({ px: 104, isCut: true });
});

test("the next error, and the one before, round at the ends", () => {
  const flags = [0, ROW_FLAG.error, 0, ROW_FLAG.error | ROW_FLAG.gone, 0];
  const rows = layout(outlineOf(flags.map((own, i) => ({ seq: i + 1, flags: own }))), false, null);
  const from = (at: number, step: 1 | -1) => errorRow(rows, at, step);
  expect(from(-1, 1)).toEqual({ at: 1, hasWrapped: false });
  expect(from(1, 1)).toEqual({ at: 3, hasWrapped: false });
  expect(from(3, 1)).toEqual({ at: 1, hasWrapped: true });
  expect(from(3, -1)).toEqual({ at: 1, hasWrapped: false });
  expect(from(0, -1)).toEqual({ at: 3, hasWrapped: true });
  const alone = layout(outlineOf([{ seq: 1, flags: ROW_FLAG.error }]), false, null);
  expect(errorRow(alone, 0, 1)).toEqual({ at: 0, hasWrapped: true });
  expect(errorRow(layout(outlineOf([{ seq: 1 }]), false, null), 0, 1)).toBeNull();
  expect(errorRow(layout(outlineOf([]), false, null), -1, 1)).toBeNull();
});
