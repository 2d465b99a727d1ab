// One contract over every store of memory: in RAM, on a folder of either generation, in the archive.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AutobyteusStore } from "#lib/agent-dirs/autobyteus/store.ts";
import { InMemoryMemoryStore } from "#lib/kernel/memory/in-memory-store.ts";
import { MemoryManager } from "#lib/kernel/memory/memory-manager.ts";
import { Compactor } from "#lib/kernel/memory/compactor.ts";
import {
  assistant,
  call,
  episode,
  fact,
  plainSummarizer,
  result,
  testHost,
  trace,
} from "#lib/kernel/memory/testing-memory.ts";
import {
  traceKey,
  type CompactionChange,
  type MemorySnapshot,
  type MemoryStore,
} from "#lib/kernel/memory/memory-types.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { inArchive } from "../testing-archive.ts";
import { findSession } from "../base/find-session.ts";
import { archiveMemoryStore } from "./archive-store.ts";
import { undoCompaction } from "./compact.ts";
import { sessionCompactor } from "./context-store.ts";
import { ingest } from "./ingest-records.ts";
import { sessionContext } from "./session-context.ts";
import { memoryOf } from "./session-memory.ts";
import { userRecord, calls, gives, request, said, seqsIn, tellTurns } from "./testing-run.ts";

type Store = MemoryStore & Required<Pick<MemoryStore, "undo">>;
/** Opens the same memory, anew each time. */
type Opened = { readonly open: () => Store; readonly close: (store: Store) => void };

const inFolderOf = (generation: 1 | 2) => (run: (opened: Opened) => Promise<void>) =>
  inArchive((_, logs) =>
    run({
      open: () => new AutobyteusStore(join(logs, "agents", "a"), { host: testHost(), generation }),
      close: (store) => (store as AutobyteusStore).close(),
    }),
  );

const STORES: readonly (readonly [string, (run: (opened: Opened) => Promise<void>) => Promise<void>])[] = [
  [
    "in RAM",
    async (run) => {
      const store = new InMemoryMemoryStore();
      await run({ open: () => store, close: () => undefined });
    },
  ],
  ["on a folder of the first generation", inFolderOf(1)],
  ["on a folder of the second generation", inFolderOf(2)],
  [
    "in the archive",
    (run) =>
      inArchive(async (archive) => {
        const { id } = await createSession(archive, { id: "agent" });
        await run({ open: () => archiveMemoryStore(archive, id), close: () => undefined });
        expect((await check(archive)).problems).toEqual([]);
      }),
  ],
];

const snapshot = (epochId: number, text = `epoch ${epochId}`): MemorySnapshot => ({
  agentId: "a",
  epochId,
  lastCompactionTs: null,
  schemaVersion: 1,
  messages: [{ role: "system", content: text, toolPayload: null }],
});

const change = (runId: string, ...remove: Parameters<typeof traceKey>[0][]): CompactionChange => ({
  runId,
  episodic: [episode(`ep_${runId}`, `Summary of ${runId}`)],
  semantic: [fact(`sem_${runId}`, `Fact of ${runId}`, { category: "durable_fact" })],
  remove: new Set(remove.map(traceKey)),
  snapshot: null,
});

const keys = (traces: readonly Parameters<typeof traceKey>[0][]): string[] => traces.map(traceKey);
const RUN = [
  trace(1, 1),
  call(1, 2, "c1", { toolArgs: { path: "a.txt", deep: [1, { b: null }] } }),
  result(1, 3, "c1", { toolResult: "two\nlines" }),
  assistant(1, 4),
  trace(2, 1),
  call(2, 2, "c2"),
  result(2, 3, "c2", { toolResult: { answer: [0, "", false] } }),
  trace(3, 1, { content: "Später — naïve “quotes”" }),
];

describe.each(STORES)("a memory %s", (_, within) => {
  test("has nothing when it begins, and says so without failing", () =>
    within(async ({ open, close }) => {
      const store = open();
      expect([store.list("raw_trace"), store.list("episodic"), store.list("semantic")]).toEqual([[], [], []]);
      expect([store.listTraces(), store.listArchived(), store.corpus()]).toEqual([[], [], []]);
      expect(store.readSnapshot()).toBeNull();
      close(store);
    }));

  test("gives back what was added, in order, each kind apart, also when it is opened anew", () =>
    within(async ({ open, close }) => {
      const store = open();
      const ep = episode("ep_1", "We discussed refactoring.");
      const sem = fact("sem_1", "Use pnpm exec vitest.", { category: "user_preference", salience: 400 });
      await store.add([RUN[0]!, ep, RUN[1]!, sem]);
      await store.add(RUN.slice(2));
      const look = (one: Store): void => {
        expect(one.listTraces()).toMatchObject(RUN);
        expect(keys(one.corpus()).toSorted()).toEqual(keys(RUN).toSorted());
        expect(one.list("raw_trace", 2)).toMatchObject(RUN.slice(-2));
        expect([one.list("raw_trace", 0), one.list("raw_trace", 99).length]).toEqual([[], RUN.length]);
        expect(one.list("episodic")).toMatchObject([ep]);
        expect(one.list("semantic")).toMatchObject([{ id: "sem_1", fact: sem.fact, salience: 400 }]);
      };
      look(store);
      close(store);
      const again = open();
      look(again);
      close(again);
    }));

  test("archives what a compaction takes, keeps the rest, and does the same run once", () =>
    within(async ({ open, close }) => {
      const store = open();
      await store.add([...RUN, trace(null, 1)]);
      const gone = RUN.filter(({ turnId }) => turnId === "turn_0001");
      const stays = [...RUN.filter(({ turnId }) => turnId !== "turn_0001"), trace(null, 1)];
      await store.compact(change("one", ...gone));
      await store.compact(change("one", ...RUN));
      expect(keys(store.listTraces())).toEqual(keys(stays));
      expect(keys(store.listArchived())).toEqual(keys(gone));
      expect(store.listArchived()).toMatchObject(gone);
      expect(keys(store.corpus()).toSorted()).toEqual(keys([...gone, ...stays]).toSorted());
      expect(store.list("episodic").map(({ summary }) => summary)).toEqual(["Summary of one"]);
      expect(store.list("semantic").map((item) => item.fact)).toEqual(["Fact of one"]);
      close(store);
    }));

  test("brings back what a compaction changed, the last one first, and keeps what came since", () =>
    within(async ({ open, close }) => {
      const store = open();
      await store.add(RUN);
      await store.compact(change("one", ...RUN.slice(0, 4)));
      await store.compact(change("two", ...RUN.slice(4, 7)));
      expect(keys(store.listTraces())).toEqual(keys(RUN.slice(7)));
      expect(keys(store.listArchived())).toEqual(keys(RUN.slice(0, 7)));
      await expect((async () => store.undo("one"))()).rejects.toThrow(/first|later/i);
      await store.undo("two");
      await store.undo("one");
      await store.undo("one");
      expect(keys(store.listTraces())).toEqual(keys(RUN));
      expect([store.listArchived(), store.list("episodic"), store.list("semantic")]).toEqual([[], [], []]);
      await store.compact(change("one", ...RUN.slice(0, 4)));
      expect(keys(store.listTraces())).toEqual(keys(RUN));
      await expect((async () => store.undo("never"))()).rejects.toSatisfy(isAppError);
      await store.compact(change("three", ...RUN.slice(0, 4)));
      expect(keys(store.listTraces())).toEqual(keys(RUN.slice(4)));
      close(store);
    }));

  test("keeps the context of its epoch, and an undo begins an epoch of its own or takes up the old one", () =>
    within(async ({ open, close }) => {
      const store = open();
      await store.add(RUN);
      await store.writeSnapshot(snapshot(1));
      await store.writeSnapshot(snapshot(1, "grown"));
      expect(store.readSnapshot()).toMatchObject({ agentId: "a", epochId: 1, messages: [{ content: "grown" }] });
      await store.compact({ ...change("one", ...RUN.slice(0, 4)), snapshot: snapshot(2) });
      expect(store.readSnapshot()).toMatchObject({ epochId: 2, messages: [{ content: "epoch 2" }] });
      await store.undo("one");
      expect(store.readSnapshot()).toMatchObject({ messages: [{ content: "grown" }] });
      close(store);
      const again = open();
      expect(again.readSnapshot()).toMatchObject({ messages: [{ content: "grown" }] });
      close(again);
    }));

  test("carries an agent through turns and a compaction", () =>
    within(async ({ open, close }) => {
      const store = open();
      const host = testHost();
      const compactor = new Compactor({ store, summarizer: plainSummarizer, host });
      const generation = store instanceof AutobyteusStore ? (store.generation ?? 1) : 1;
      const memory = MemoryManager.open({ store, host, compactor, agentId: "a", generation, systemPrompt: "System" });
      for (const text of ["one", "two", "three"]) {
        const turn = memory.startTurn();
        await memory.ingestUserMessage(text, turn);
        await memory.ingestAssistantResponse({ content: `re: ${text}` }, turn);
      }
      await memory.compact(["turn_0001", "turn_0002"]);
      expect(store.listTraces().map(({ content }) => content)).toEqual(["three", "re: three"]);
      expect(store.listArchived().map(({ content }) => content)).toEqual(["one", "re: one", "two", "re: two"]);
      expect(store.list("episodic")).toMatchObject([{ turnIds: ["turn_0001", "turn_0002"] }]);
      expect(store.readSnapshot()?.epochId).toBe(2);
      close(store);
    }));
});

describe("the memory in a session of the archive", () => {
  const inSession = (run: (archive: Archive, id: string) => Promise<void>): Promise<void> =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "agent" });
      await run(archive, id);
      expect((await check(archive)).problems).toEqual([]);
    });

  test("gives the events that were told by other doors as traces too", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 2);
      const store = archiveMemoryStore(archive, id);
      const turn = ["user", "tool_call", "tool_result", "tool_continuation", "assistant"];
      expect(store.listTraces().map(({ traceType }) => traceType)).toEqual([...turn, ...turn]);
      await store.add([trace("turn_x", 1)]);
      expect(store.listTraces().at(-1)).toEqual(trace("turn_x", 1));
      const first = store.listTraces().filter(({ turnId }) => turnId === "turn_0001");
      await store.compact(change("one", ...first));
      expect(store.listArchived()).toEqual(first);
      await store.undo("one");
      expect(store.listArchived()).toEqual([]);
    }));

  test("deletes nothing from the log: the compaction covers what it took, and the context goes on from its summary", () =>
    inSession(async (archive, id) => {
      const store = archiveMemoryStore(archive, id);
      await store.add(RUN);
      const rows = archive.sqlite.prepare("SELECT id, body FROM events ORDER BY id").all();
      await store.compact(change("one", ...RUN.slice(0, 4)));
      expect(archive.sqlite.prepare("SELECT id, body FROM events ORDER BY id LIMIT ?").all(rows.length)).toEqual(rows);
      expect(await seqsIn(archive, id)).toEqual([[10], [5], [6], [7], [8]]);
      const { compactions, items } = await memoryOf(archive, id);
      expect(compactions).toMatchObject([{ kind: "applied", status: "complete", events: [1, 4], turns: [1] }]);
      expect(items.map(({ text, turns }) => [text, turns])).toEqual([
        ["Summary of one", [1]],
        ["Fact of one", []],
      ]);
    }));

  test("a person who undoes a compaction of the agent gives it the context before back", () =>
    inSession(async (archive, id) => {
      const store = archiveMemoryStore(archive, id);
      await store.add(RUN);
      await store.writeSnapshot(snapshot(1, "before"));
      await store.compact({ ...change("one", ...RUN.slice(0, 4)), snapshot: snapshot(2) });
      await undoCompaction(archive, (await memoryOf(archive, id)).compactions[0]!.id);
      expect(store.readSnapshot()).toMatchObject({ epochId: 3, messages: [{ content: "before" }] });
    }));

  test("an agent undoes by its run what it was compacted to before a request", () =>
    inSession(async (archive, id) => {
      await tellTurns(archive, id, 4);
      const session = await sessionContext(archive, findSession(archive, id));
      const compactor = sessionCompactor(archive, session, request({ tail: 1 }));
      const { run } = await compactor.carryOut(compactor.plan({ tailTurns: 1 }).plan!);
      const store = archiveMemoryStore(archive, id);
      expect(store.listArchived()).not.toEqual([]);
      await store.undo(run.id);
      expect(store.listArchived()).toEqual([]);
    }));

  test("two agents may use the same ids for their items and their runs", () =>
    inSession(async (archive, id) => {
      const other = await createSession(archive, { id: "other" });
      const stores = [id, other.id].map((one) => archiveMemoryStore(archive, one));
      for (const store of stores) {
        await store.add(RUN);
        await store.compact(change("one", ...RUN.slice(0, 4)));
      }
      for (const store of stores) expect(store.list("episodic").map((item) => item.id)).toEqual(["ep_one"]);
      await stores[0]!.undo("one");
      expect(stores.map((store) => store.listTraces().length)).toEqual([8, 4]);
    }));

  test("keeps an output that is too long for its event whole", () =>
    inSession(async (archive, id) => {
      const store = archiveMemoryStore(archive, id);
      const long = "tide ".repeat(200_000);
      await store.add([call(1, 1, "c"), result(1, 2, "c", { toolResult: long }), trace(2, 1)]);
      expect(store.listTraces()[1]!.toolResult).toBe(long);
    }));

  test("does writes in the order in which they were asked for, and knows no session that is not there", () =>
    inSession(async (archive, id) => {
      expect(() => archiveMemoryStore(archive, "nowhere")).toThrow(/No session/);
      await ingest(archive, id, [
        userRecord("u", "Hi"),
        calls("a", "t", "ls"),
        gives("r", "t", "x"),
        said("s", "Done"),
      ]);
      const store = archiveMemoryStore(archive, id);
      await Promise.all([
        store.add([trace("t", 1)]),
        store.compact(change("one", trace("t", 1))),
        store.add([trace("t", 2)]),
      ]);
      expect(store.listArchived()).toEqual([trace("t", 1)]);
      expect(store.listTraces().at(-1)).toEqual(trace("t", 2));
    }));
});
