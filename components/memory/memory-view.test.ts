import fc from "fast-check";
import { expect, test } from "vitest";
import {
  canUndo,
  chosenItems,
  countsOf,
  headOf,
  pointerParts,
  seqsOf,
  stateOf,
  tagsOf,
  timeline,
  turnsOf,
} from "./memory-view.ts";
import { compactionFixture, itemFixture, memoryFixture } from "./testing-memory-items.ts";

const epoch = (number: number, fromSeq: number, toSeq: number, compactionId: string | null = null) => ({
  epoch: number,
  fromSeq,
  toSeq,
  calls: 3,
  compactionId,
  tokens: 100,
});

test("a compaction that the log has stands before its epoch, and a plan in the epoch that it looked at", () => {
  const entries = timeline(
    memoryFixture({
      epochs: [epoch(1, 1, 40), epoch(2, 41, 90, "c1")],
      compactions: [
        compactionFixture({ id: "late", kind: "plan", status: "planned", at: 95 }),
        compactionFixture({ id: "c1", at: 40 }),
        compactionFixture({ id: "p2", kind: "plan", at: 20, startedAt: "2026-02-01T00:00:00.000Z" }),
        compactionFixture({ id: "p1", kind: "plan", at: 20, startedAt: "2026-01-01T00:00:00.000Z" }),
      ],
      items: [itemFixture(), itemFixture({ id: "i2", deletedAt: "2026-01-16T00:00:00.000Z" })],
    }),
  );
  const result = entries.map((entry) => (entry.kind === "epoch" ? entry.epoch.epoch : entry.compaction.id));
  expect(result).toEqual([1, "p1", "p2", "c1", 2, "late"]);
  expect(entries.find((entry) => entry.kind === "compaction" && entry.compaction.id === "c1")).toMatchObject({
    items: 1,
  });
});

test("no compaction is lost from the timeline, wherever it stands and without any epoch", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat({ max: 200 })),
      fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 5 }),
      (positions, lengths) => {
        const compactions = positions.map((at, i) => compactionFixture({ id: `c${i}`, at }));
        let from = 1;
        const epochs = lengths.map((length, i) => {
          const one = epoch(i + 1, from, from + length - 1, i === 0 ? null : `c${i}`);
          from += length;
          return one;
        });
        const shown = timeline(memoryFixture({ epochs, compactions }));
        expect(shown.filter(({ kind }) => kind === "compaction")).toHaveLength(compactions.length);
        expect(shown.filter(({ kind }) => kind === "epoch")).toHaveLength(epochs.length);
      },
    ),
  );
});

test("pinned items come first, deleted ones only where they are asked for", () => {
  const items = [
    itemFixture({ id: "low", salience: 1 }),
    itemFixture({ id: "high", salience: 5, kind: "semantic", turns: [2], compactionId: null }),
    itemFixture({ id: "pinned", pinned: true, salience: 0 }),
    itemFixture({ id: "gone", deletedAt: "2026-01-16T00:00:00.000Z" }),
  ];
  const ids = (choice: Partial<Parameters<typeof chosenItems>[1]>) =>
    chosenItems(items, { items: "all", from: null, turn: null, ...choice }).map(({ id }) => id);
  expect(ids({})).toEqual(["pinned", "high", "low"]);
  expect(ids({ items: "semantic" })).toEqual(["high"]);
  expect(ids({ items: "deleted" })).toEqual(["gone"]);
  expect(ids({ from: "c1" })).toEqual(["pinned", "low"]);
  expect(ids({ turn: 2 })).toEqual(["high"]);
  expect(countsOf(items)).toEqual({ all: 3, episodic: 2, semantic: 1, pinned: 1, deleted: 1 });
});

test("a turn counts what was made from it and what was recalled into it", () => {
  const recall = {
    turn: 2,
    at: 9,
    query: "pump",
    items: [],
    chars: 0,
    omitted: 0,
    createdAt: "2026-01-15T10:00:00.000Z",
  };
  expect(turnsOf(memoryFixture({ items: [itemFixture({ turns: [2, 1] })], recalls: [recall] }))).toEqual([
    { turn: 1, count: 1 },
    { turn: 2, count: 2 },
  ]);
});

test("only a person's compaction that stands can be taken back", () => {
  expect(canUndo(compactionFixture())).toBe(true);
  expect(canUndo(compactionFixture({ kind: "agent" }))).toBe(false);
  expect(canUndo(compactionFixture({ status: "undone" }))).toBe(false);
  expect(stateOf(compactionFixture({ kind: "plan", status: "planned" }))).toBe("plan");
  expect(stateOf(compactionFixture({ kind: "plan", status: "undone" }))).toBe("undone");
});

test("a pointer to an artifact stands apart in a text, and no character of it is lost", () => {
  const pointer = "art:f3d8d328-c9c5-88eb-ad32-d642fda2f363";
  expect(pointerParts(`output in ${pointer}.`)).toEqual([
    { text: "output in ", pointer: false },
    { text: pointer, pointer: true },
    { text: ".", pointer: false },
  ]);
  expect(pointerParts("smart:cookies art:1")).toEqual([{ text: "smart:cookies art:1", pointer: false }]);
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constant(pointer))), (texts) => {
      const text = texts.join("");
      expect(
        pointerParts(text)
          .map((part) => part.text)
          .join(""),
      ).toBe(text);
    }),
  );
});

test("a long text shows its beginning, a short one all of it", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n");
  expect(headOf(lines(7))).toBe(lines(7));
  expect(headOf(lines(8))).toBe(lines(5));
  const words = "word ".repeat(400).trimEnd();
  expect(headOf(words).length).toBeLessThanOrEqual(600);
  expect(words.startsWith(`${headOf(words)} `)).toBe(true);
  expect(headOf("x".repeat(5000))).toBe("x".repeat(600));
  fc.assert(
    fc.property(fc.string({ maxLength: 3000 }), (text) => {
      const head = headOf(text);
      expect(text.startsWith(head)).toBe(true);
      expect(head.length).toBeLessThanOrEqual(720);
    }),
  );
});

test("events are written as numbers and ranges, and what is neither is said", () => {
  expect(seqsOf("7, 3-5 4")).toEqual({ seqs: [3, 4, 5, 7] });
  expect(seqsOf("  ")).toEqual({ seqs: [] });
  expect(seqsOf("9-2")).toEqual({ wrong: '"9-2" is not an event number or range.' });
  expect(seqsOf("0")).toHaveProperty("wrong");
  expect(seqsOf("1-5000")).toEqual({ wrong: "At most 1000 events." });
  expect(tagsOf(" pump, , hull,pump ")).toEqual(["pump", "hull"]);
});
