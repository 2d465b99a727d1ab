import { describe, expect, test } from "vitest";
import { InMemoryMemoryStore } from "./in-memory-store.ts";
import { assistant, episode, fact, storeOf, trace } from "./testing-memory.ts";
import { memoryTypeOf, traceKey } from "./memory-types.ts";
import type { CompactionChange, MemorySnapshot } from "./memory-types.ts";

const seqs = (store: InMemoryMemoryStore, limit?: number): number[] =>
  store.list("raw_trace", limit).map(({ seq }) => seq);
const snapshot = (epochId: number): MemorySnapshot => ({
  agentId: "a",
  epochId,
  lastCompactionTs: null,
  schemaVersion: 1,
  messages: [],
});
const change = (runId: string, ...remove: Parameters<typeof traceKey>[0][]): CompactionChange => ({
  runId,
  episodic: [episode(`ep_${runId}`, runId)],
  semantic: [fact(`sem_${runId}`, runId)],
  remove: new Set(remove.map(traceKey)),
  snapshot: snapshot(2),
});

describe("the memory in RAM", () => {
  test("keeps three types apart, in order, and gives the last of them", () => {
    const store = new InMemoryMemoryStore();
    expect([store.list("raw_trace"), store.list("episodic"), store.list("semantic")]).toEqual([[], [], []]);
    store.add([
      trace(1, 1),
      episode("ep_1", "We discussed refactoring."),
      trace(1, 2),
      fact("sem_1", "Use pnpm exec vitest."),
      trace(1, 3),
    ]);
    expect(seqs(store, 2)).toEqual([2, 3]);
    expect([seqs(store, 0), seqs(store, 9)]).toEqual([[], [1, 2, 3]]);
    expect(store.list("episodic")[0]?.summary).toBe("We discussed refactoring.");
    expect(store.list("semantic")[0]?.fact).toBe("Use pnpm exec vitest.");
    expect([trace(1, 1), episode("e", "s"), fact("s", "f")].map(memoryTypeOf)).toEqual([
      "raw_trace",
      "episodic",
      "semantic",
    ]);
  });

  test("tells traces of one millisecond apart, and gives each of them once", () => {
    const twin = { id: "rt_1770923352730", ts: 1 };
    const store = storeOf(trace(1, 2, { ...twin, traceType: "tool_call" }), assistant(1, 3), trace(2, 1));
    store.add([{ ...assistant(1, 3), ...twin }]);
    expect(store.corpus()).toHaveLength(4);
    store.compact(change("r", { ...twin, turnId: "turn_0001", seq: 2, traceType: "tool_call" }));
    expect(store.listTraces()).toHaveLength(3);
    // A crash between archiving and taking away leaves a trace in both.
    store.add([store.listArchived()[0]!]);
    expect(store.corpus()).toHaveLength(4);
    expect(store.corpus().map(({ ts }) => ts)).toEqual(
      store
        .corpus()
        .map(({ ts }) => ts)
        .toSorted((a, b) => a - b),
    );
  });

  test("takes nothing away that has no turn, unless it is named", () => {
    const store = storeOf(trace(null, 1), trace(1, 1));
    store.compact(change("r", trace(1, 1)));
    expect(store.listTraces()).toEqual([trace(null, 1)]);
    expect(store.listArchived()).toEqual([trace(1, 1)]);
  });

  test("does the same change once", () => {
    const store = storeOf(trace(1, 1), trace(2, 1));
    store.compact(change("r", trace(1, 1)));
    store.compact(change("r", trace(2, 1)));
    expect(store.listTraces()).toEqual([trace(2, 1)]);
    expect(store.list("episodic")).toHaveLength(1);
  });

  test("brings back exactly what a compaction changed, the last one first", () => {
    const store = storeOf(trace(1, 1), trace(2, 1), trace(3, 1));
    store.writeSnapshot(snapshot(1));
    store.compact(change("one", trace(1, 1), trace(3, 1)));
    store.compact(change("two", trace(2, 1)));
    store.add([trace(4, 1)]);
    expect(() => store.undo("one")).toThrow(/Undo the later ones first/);
    store.undo("two");
    store.undo("one");
    store.undo("one");
    expect(store.listTraces()).toEqual([trace(1, 1), trace(2, 1), trace(3, 1), trace(4, 1)]);
    expect([store.listArchived(), store.list("episodic"), store.list("semantic")]).toEqual([[], [], []]);
    expect(store.readSnapshot()?.epochId, "epochs go on").toBeGreaterThan(2);
    store.compact(change("one", trace(1, 1)));
    expect(store.listTraces(), "what was undone is not done again").toHaveLength(4);
    expect(() => store.undo("never")).toThrow(/not the last one/);
  });
});
