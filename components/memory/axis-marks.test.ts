import fc from "fast-check";
import { expect, test } from "vitest";
import type { LoadAnswer, LoadCall } from "#lib/wire/load-schema.ts";
import { loadView } from "../shared/load-view.ts";
import { axisMarks, countOf, epochSpans, sourceSpans } from "./axis-marks.ts";
import { compactionFixture, itemFixture, memoryFixture } from "./testing-memory-items.ts";

/** Calls at events 10, 20, …, two in each turn. */
const viewOf = (count: number) =>
  loadView({
    calls: Array.from({ length: count }, (_, i) => ({
      call: i + 1,
      seq: (i + 1) * 10,
      turn: Math.floor(i / 2) + 1,
      prompt: 100,
      origin: "reported",
      stack: [],
      estimated: [],
    })) as unknown as LoadCall[],
    window: { tokens: null, origin: null },
    loadLine: { tokens: null, origin: null },
    rewinds: [],
    compactions: [],
    turns: [],
    jumps: [],
    lost: 0,
    counting: false,
    version: "1",
  } satisfies LoadAnswer);

const epoch = (number: number, fromSeq: number, toSeq: number) => ({
  epoch: number,
  fromSeq,
  toSeq,
  calls: 3,
  compactionId: null,
  tokens: null,
});

const answer = memoryFixture({
  epochs: [epoch(1, 1, 34), epoch(2, 35, 60)],
  compactions: [
    compactionFixture({ id: "event:35", kind: "agent", at: 35 }),
    compactionFixture({ id: "plan", kind: "plan", at: 35 }),
  ],
  items: [
    itemFixture({ id: "a", compactionId: "event:35", madeBy: "summary", turns: [], seqs: [35] }),
    itemFixture({ id: "b", kind: "semantic", compactionId: "event:35", madeBy: "summary", turns: [], seqs: [35] }),
    itemFixture({ id: "c", kind: "semantic", compactionId: "event:35", madeBy: "summary", turns: [], seqs: [35] }),
    itemFixture({ id: "d", compactionId: "plan", turns: [1] }),
    itemFixture({ id: "e", compactionId: null, turns: [], seqs: [12, 41], madeBy: "person" }),
  ],
});

test("items stand where they were made: behind the compaction, at the plan's call, at their last event", () => {
  const marks = axisMarks(viewOf(6), answer);
  const at = (id: string) => marks.find(({ items }) => items.some((item) => item.id === id));
  expect(at("a")).toMatchObject({ lane: "episodic", index: 3 });
  expect(at("b")).toBe(at("c"));
  expect(at("d")).toMatchObject({ index: 2 });
  expect(at("e")).toMatchObject({ index: 3 });
});

test("deleted items are not counted, and have a mark only where nothing else was made", () => {
  const deletedAt = "2026-01-01T00:00:00.000Z";
  const items = answer.items.map((item) => (item.id === "b" || item.id === "d" ? { ...item, deletedAt } : item));
  const marks = axisMarks(viewOf(6), { ...answer, items });
  expect(marks.map((mark) => [mark.lane, mark.index, mark.items.map(({ id }) => id)])).toEqual([
    ["episodic", 2, ["d"]],
    ["episodic", 3, ["a", "e"]],
    ["semantic", 3, ["c"]],
  ]);
  expect([countOf(marks, "episodic"), countOf(marks, "semantic")]).toEqual([2, 1]);
});

test("an item lights the calls that it came from: its turns, its events, or the epoch before an agent's summary", () => {
  const view = viewOf(6);
  const lit = (id: string) =>
    sourceSpans(
      view,
      answer,
      answer.items.filter((item) => item.id === id),
    );
  expect(lit("a")).toEqual([{ from: 0, to: 3 }]);
  expect(lit("d")).toEqual([{ from: 0, to: 2 }]);
  expect(lit("e")).toEqual([
    { from: 0, to: 1 },
    { from: 3, to: 4 },
  ]);
  expect(epochSpans(view, answer.epochs)).toEqual([
    { from: 0, to: 3 },
    { from: 3, to: 6 },
  ]);
});

test("every item and recall has one mark inside the axis, and spans never touch", () => {
  const item = fc.record({
    kind: fc.constantFrom("episodic" as const, "semantic" as const),
    compactionId: fc.constantFrom(null, "event:35", "plan", "gone"),
    turns: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }),
    seqs: fc.array(fc.integer({ min: 1, max: 99 }), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(item), fc.integer({ min: 0, max: 8 }), (parts, count) => {
      const view = viewOf(count);
      const items = parts.map((part, i) => itemFixture({ ...part, id: `i${i}` }));
      const recalls = parts.map(({ turns }) => ({
        turn: turns[0] ?? null,
        at: null,
        query: "q",
        items: [],
        chars: 0,
        omitted: 0,
        createdAt: "",
      }));
      const marks = axisMarks(view, { ...answer, items, recalls });
      const shown = marks.reduce((sum, mark) => sum + mark.items.length + mark.recalls.length, 0);
      expect(shown).toBe(count === 0 ? 0 : items.length + recalls.length);
      for (const { index } of marks) expect(index >= 0 && index < count).toBe(true);
      const spans = sourceSpans(view, answer, items);
      spans.forEach(({ from, to }, i) => {
        expect(from >= (i === 0 ? 0 : (spans[i - 1]?.to ?? 0) + 1) && from < to && to <= count).toBe(true);
      });
    }),
  );
});
