import { describe, expect, test } from "vitest";
import { Compactor } from "./compactor.ts";
import { InMemoryMemoryStore } from "./in-memory-store.ts";
import { MemoryManager } from "./memory-manager.ts";
import { CompactionPolicy } from "./compaction-policy.ts";
import { plainSummarizer, testHost } from "./testing-memory.ts";
import type { CompactionRun, Summarizer, SummarizerResult } from "./memory-types.ts";

function memoryOf(summarizer: Summarizer = plainSummarizer, store = new InMemoryMemoryStore()) {
  const host = testHost();
  const runs: CompactionRun[] = [];
  const policy = new CompactionPolicy({ rawTailTurns: 1 });
  const compactor = new Compactor({ store, host, summarizer, policy, onRun: (run) => runs.push(run) });
  const memory = MemoryManager.open({ store, host, compactor, agentId: "a", systemPrompt: "System" });
  const talk = (...texts: string[]): void => {
    for (const text of texts) {
      const turn = memory.startTurn();
      memory.ingestUserMessage(text, turn);
      memory.appendUserInput(text, turn);
      memory.ingestAssistantResponse({ content: `re: ${text}` }, turn);
    }
  };
  const words = (): string => JSON.stringify(memory.getWorkingContextMessages());
  return { memory, store, runs, talk, words };
}

/** A summarizer that waits until it is told. */
function waiting(): Summarizer & { finish: (made?: Partial<SummarizerResult>) => void; calls: number } {
  const summarizer = {
    calls: 0,
    finish: (_made?: Partial<SummarizerResult>): void => undefined,
    summarize: () =>
      new Promise<SummarizerResult>((resolve) => {
        summarizer.calls++;
        summarizer.finish = (made) => resolve({ summary: "Later.", facts: [], ...made });
      }),
  };
  return summarizer;
}

describe("a compaction by hand", () => {
  test("takes the turns that are named, and begins the next epoch", async () => {
    const { memory, store, talk, words } = memoryOf();
    talk("one", "two", "three");
    const outcome = await memory.compact(["turn_0001"]);
    expect(outcome).toMatchObject({ status: "complete", run: { epochBefore: 1, epochAfter: 2, trigger: "manual" } });
    expect(memory.epochId).toBe(2);
    expect(memory.workingContextSnapshot.lastCompactionTs).toBeGreaterThan(1_770_000_000);
    expect(store.readSnapshot()).toMatchObject({ epochId: 2, messages: memory.getWorkingContextMessages() });
    for (const text of ["one | re: one", "two", "re: two", "three", "System"]) expect(words()).toContain(text);
    expect(await memory.compact([])).toBeNull();
  });

  test("is dated no earlier than the items it made: by that, readers of the folder know them as its summary", async () => {
    const { memory, store, talk } = memoryOf();
    talk("one", "two", "three");
    await memory.compact(["turn_0001"]);
    const { lastCompactionTs } = store.readSnapshot()!;
    for (const { ts } of store.list("episodic")) expect(ts).toBeLessThanOrEqual(lastCompactionTs!);
    expect(memory.workingContextSnapshot.lastCompactionTs).toBe(lastCompactionTs);
  });

  test("can be done in its steps: retrieve, build, reset", async () => {
    const { memory, store, talk } = memoryOf();
    talk("one", "two");
    await memory.compact(["turn_0001"]);
    const bundle = memory.retrieve(1, 1);
    expect(bundle.episodic.map(({ summary }) => summary)).toEqual(["one | re: one"]);
    const snapshot = memory.buildSnapshot("Other system", bundle, memory.getRawTail(1));
    expect(snapshot.map(({ role }) => role)).toEqual(["system", "user"]);
    memory.resetWorkingContextSnapshot(snapshot);
    expect(memory.getWorkingContextMessages()).toEqual(snapshot);
    expect([memory.epochId, store.readSnapshot()?.epochId]).toEqual([3, 3]);
    memory.resetTranscript(snapshot.slice(1));
    expect(memory.getTranscriptMessages(), "by its older name").toEqual(snapshot.slice(1));
  });

  test("of what is not there, or on an empty memory, changes nothing and says why", async () => {
    const { memory, runs, words } = memoryOf();
    const before = words();
    expect(await memory.compactNow()).toMatchObject({
      status: "nothing_to_compact",
      reason: "This memory has no turn yet.",
    });
    await expect(memory.compact(["turn_0404"])).rejects.toThrow(/No turn "turn_0404" is active/);
    expect([memory.epochId, words()]).toEqual([1, before]);
    expect(runs.map(({ status }) => status)).toEqual(["nothing_to_compact"]);
    const none = new MemoryManager({ store: new InMemoryMemoryStore(), host: testHost() });
    await expect(none.compactNow()).rejects.toThrow(/has no compactor/);
  });

  test("asked twice at once is done once; another one, or an undoing, is told to wait", async () => {
    const summarizer = waiting();
    const { memory, talk, runs } = memoryOf(summarizer);
    talk("one", "two", "three");
    const [first, second] = [memory.compactNow(), memory.compactNow()];
    await expect(memory.compact(["turn_0001"])).rejects.toThrow(/is being compacted/);
    await expect(memory.undo("any")).rejects.toThrow(/is being compacted/);
    expect(() => memory.resetWorkingContextSnapshot([])).toThrow(/is being compacted/);
    summarizer.finish();
    expect((await first).run.id).toBe((await second).run.id);
    expect(summarizer.calls).toBe(1);
    expect(runs.filter(({ status }) => status === "complete")).toHaveLength(1);
  });

  test("keeps what comes in meanwhile, word for word, behind the new beginning", async () => {
    const summarizer = waiting();
    const { memory, talk, words } = memoryOf(summarizer);
    talk("one", "two", "three");
    const compaction = memory.compactNow({ currentTurnId: null });
    memory.ingestToolIntent({ id: "c1", name: "run", arguments: {} }, "turn_0003");
    talk("four");
    memory.ingestToolResult({ toolName: "run", result: "came meanwhile", toolInvocationId: "c1" });
    summarizer.finish();
    expect((await compaction).status).toBe("complete");
    const messages = memory.getWorkingContextMessages();
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user", "assistant", "tool"]);
    expect(messages[3]!.content).toBe("four");
    expect(words().match(/came meanwhile/g)).toHaveLength(1);
    expect(words().match(/re: four/g)).toHaveLength(1);
  });

  test("whose store refuses the change leaves everything as it was", async () => {
    const { memory, store, talk, words, runs } = memoryOf();
    talk("one", "two", "three");
    const before = words();
    store.compact = () => {
      throw new Error("disk full");
    };
    const outcome = await memory.compactNow();
    expect(outcome).toMatchObject({ status: "failed", reason: "disk full", result: null });
    expect([memory.epochId, words()]).toEqual([1, before]);
    expect(runs.at(-1)?.status).toBe("failed");
    expect((store.readSnapshot() ?? { epochId: 1 }).epochId).toBe(1);
  });
});

describe("undoing", () => {
  test("brings back traces, items and messages, in an epoch of its own", async () => {
    const { memory, store, talk, words } = memoryOf();
    talk("one", "two", "three");
    const [before, traces] = [memory.getWorkingContextMessages(), store.listTraces()];
    const { run } = await memory.compactNow();
    talk("four");
    await memory.undo(run.id);
    expect(memory.getWorkingContextMessages().slice(0, before.length)).toEqual(before);
    expect(words()).toContain("re: four");
    expect(store.listTraces().slice(0, traces.length)).toEqual(traces);
    expect(store.list("episodic")).toEqual([]);
    expect([memory.epochId, store.readSnapshot()?.epochId]).toEqual([3, 3]);
    await memory.undo(run.id);
    expect(memory.epochId, "once").toBe(3);
  });

  test("by a later process says what is back from its traces", async () => {
    const first = memoryOf();
    first.talk("one", "two", "three");
    const { run } = await first.memory.compactNow();
    first.talk("four");
    const { memory, words } = memoryOf(plainSummarizer, first.store);
    await memory.undo(run.id);
    for (const text of ["one", "re: one", "two", "three", "re: four"]) expect(words()).toContain(text);
    expect(memory.epochId).toBe(3);
    expect(first.store.listTraces()).toHaveLength(8);
  });

  test("is refused where the store keeps nothing to undo from", async () => {
    const { memory, store, talk } = memoryOf();
    talk("one", "two", "three");
    const { run } = await memory.compactNow();
    (store as { undo?: unknown }).undo = undefined;
    await expect(memory.undo(run.id)).rejects.toThrow(/has no undo data/);
  });
});
