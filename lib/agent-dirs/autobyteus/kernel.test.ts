// The memory kernel on folders, and on directories that real agents left.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { Compactor } from "#lib/kernel/memory/compactor.ts";
import { MemoryManager } from "#lib/kernel/memory/memory-manager.ts";
import { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import { traceKey, type Summarizer } from "#lib/kernel/memory/memory-types.ts";
import { corpusIn, readDirectory } from "./directory.ts";
import { FILES } from "./directory-paths.ts";
import type { Generation } from "./raw-trace.ts";
import { AutobyteusStore } from "./store.ts";
import { bytesIn, inFolderFor, linesIn, makeDirectory, testHost, timesIn } from "./testing-directory.ts";

const DATA = join(import.meta.dirname, "../../../../shared/data/autobyteus");
const hasData = existsSync(DATA);
if (!hasData) console.warn("kernel.test.ts: ../shared/data/autobyteus is absent; real directories are not opened.");

const summarizer: Summarizer = {
  summarize: (traces) => ({
    summary: `${traces.length} traces`,
    facts: [{ fact: "Fact A", confidence: 0.9, tags: ["decision"], category: "durable_fact" }],
  }),
};

function openMemory(path: string, options: { generation?: Generation; tail?: number } = {}) {
  const host = testHost();
  const store = new AutobyteusStore(path, { host, generation: options.generation });
  const policy = new CompactionPolicy({ rawTailTurns: options.tail ?? 4 });
  const compactor = new Compactor({ store, summarizer, host, policy });
  const generation = store.generation ?? 1;
  return {
    store,
    memory: MemoryManager.open({ store, host, compactor, agentId: "agent-1", generation, systemPrompt: "System" }),
  };
}

const withPath = (work: (path: string) => Promise<void>): Promise<void> =>
  inFolderFor((base) => work(join(base, "agents", "agent-1")));

describe.each([1, 2] as const)("an agent on a folder of generation %s", (generation) => {
  test("has after a compaction its last turn in the active file, the one before in the archive, and the items", () =>
    withPath(async (path) => {
      const { store, memory } = openMemory(path, { generation });
      for (const text of ["one", "two"]) {
        const turn = memory.startTurn();
        await memory.ingestUserMessage(text, turn);
        await memory.ingestAssistantResponse({ content: `re: ${text}` }, turn);
      }
      await memory.compact(["turn_0001"]);
      store.close();
      const found = readDirectory(path);
      expect(found.generation).toBe(generation);
      expect(new Set(found.traces.map(({ turnId }) => turnId))).toEqual(new Set(["turn_0002"]));
      expect(new Set(found.archived.map(({ turnId }) => turnId))).toEqual(new Set(["turn_0001"]));
      expect(found.episodic.map(({ turnIds }) => turnIds)).toEqual([["turn_0001"]]);
      expect(found.semantic.map(({ fact }) => fact)).toEqual(["Fact A"]);
      expect(found.snapshot).toMatchObject({ epochId: 2, schemaVersion: generation === 1 ? 1 : 3 });
      expect(found.warnings).toEqual([]);
    }));

  test("keeps its context when an epoch begins, and after each answer, and not before", () =>
    withPath(async (path) => {
      const { store, memory } = openMemory(path, { generation });
      const roles = (): string[] => readDirectory(path).snapshot?.messages.map(({ role }) => role) ?? [];
      await memory.resetWorkingContextSnapshot([{ role: "system", content: "System", toolPayload: null }]);
      expect(roles()).toEqual(["system"]);
      const turn = memory.startTurn();
      await memory.ingestUserMessage("Hello", turn);
      expect(roles()).toEqual(["system"]);
      await memory.ingestAssistantResponse({ content: "Hi" }, turn);
      expect(roles()).toEqual(["system", "assistant"]);
      store.close();
    }));

  test("goes on with the context that was kept, or with one made of memory where there is none", () =>
    withPath(async (path) => {
      makeDirectory(path, { generation, style: "python", turns: 5 });
      const kept = openMemory(path);
      expect(kept.memory.epochId).toBe(3);
      expect(kept.memory.getWorkingContextMessages()[0]!.content).toBe("You are careful.");
      kept.store.close();
      rmSync(join(path, FILES.snapshot));
      const made = openMemory(path);
      const [system, user] = made.memory.getWorkingContextMessages();
      expect([system!.content, user!.role]).toEqual(["System", "user"]);
      expect(user!.content).toContain("[MEMORY:EPISODIC]");
      made.store.close();
    }));

  test("compacts what an agent of its generation left, in whole turns, and takes it back", () =>
    withPath(async (path) => {
      makeDirectory(path, { generation, style: "python" });
      const before = { lines: linesIn(path), bytes: bytesIn(path) };
      const { store, memory } = openMemory(path);
      const outcome = await memory.compactNow();
      expect(outcome).toMatchObject({ status: "complete", run: { unit: "turn", epochBefore: 3, epochAfter: 4 } });
      expect(new Set(store.listTraces().map(({ turnId }) => turnId)).size).toBe(4);
      expect(linesIn(path)).toEqual(before.lines);
      await memory.undo(outcome.run.id);
      const after = bytesIn(path);
      // Epochs never go back: the context alone is written anew.
      for (const [name, text] of before.bytes) if (name !== FILES.snapshot) expect(after.get(name)).toBe(text);
      expect(readDirectory(path).snapshot!.epochId).toBe(5);
      expect([...after.keys()]).toEqual([...before.bytes.keys()]);
      store.close();
    }));
});

/** Copies a directory of the data, and looks that nothing of it changes by reading. */
function withCopy(from: string, work: (path: string) => Promise<void>): Promise<void> {
  return withPath(async (path) => {
    cpSync(from, path, { recursive: true, preserveTimestamps: true });
    const times = timesIn(path);
    new AutobyteusStore(path, { host: testHost() }).close();
    expect(timesIn(path)).toEqual(times);
    expect(bytesIn(path)).toEqual(bytesIn(from));
    await work(path);
  });
}

const FIRST = hasData
  ? readdirSync(join(DATA, "ts-gen1", "agents")).map((name) => join(DATA, "ts-gen1", "agents", name))
  : [];

describe.skipIf(!hasData)("real directories of the first generation", () => {
  test("are five: one turn each, of five traces or three, and none is lost although four have an id twice", async () => {
    const counts = FIRST.map((path) => {
      const found = readDirectory(path);
      expect([found.generation, found.problems, found.warnings]).toEqual([1, [], []]);
      expect(new Set(found.traces.map(({ turnId }) => turnId)).size).toBe(1);
      expect(corpusIn(found)).toHaveLength(found.traces.length);
      return { traces: found.traces.length, ids: new Set(found.traces.map(({ id }) => id)).size };
    });
    expect(counts.map(({ traces }) => traces).toSorted()).toEqual([3, 5, 5, 5, 5]);
    expect(counts.filter(({ traces, ids }) => ids < traces)).toHaveLength(4);
  });

  test.each(FIRST.map((path) => [basename(path), path]))(
    "%s is opened, appended to, found to have nothing to compact, compacted by name, and undone",
    (_, from) =>
      withCopy(from, async (path) => {
        const before = bytesIn(path);
        const { store, memory } = openMemory(path);
        const turn = memory.startTurn();
        expect(turn).toBe("turn_0002");
        await memory.ingestUserMessage("And now?", turn);
        const appended = bytesIn(path);
        expect(appended.get(FILES.rawTraces)!.startsWith(before.get(FILES.rawTraces)!)).toBe(true);
        expect(appended.get(FILES.snapshot)).toBe(before.get(FILES.snapshot));
        expect(await memory.compactNow()).toMatchObject({ status: "nothing_to_compact" });
        expect(bytesIn(path)).toEqual(appended);
        const closed = store.listTraces().filter(({ turnId }) => turnId === "turn_0001");
        const lines = linesIn(path);
        const change = { runId: "by-hand", episodic: [], semantic: [], snapshot: null };
        store.compact({ ...change, remove: new Set(closed.map(traceKey)) });
        expect(store.listArchived()).toHaveLength(closed.length);
        expect(linesIn(path)).toEqual(lines);
        store.undo("by-hand");
        expect(bytesIn(path)).toEqual(appended);
        store.close();
      }),
  );
});

const SECOND = hasData ? readdirSync(join(DATA, "workspace")) : [];
const samples = SECOND.filter((name) => name.endsWith("raw_traces.jsonl"));

/** Samples lie side by side under long names: each becomes the folder that it was taken from. */
const withSample = (name: string, work: (path: string) => Promise<void>): Promise<void> =>
  withPath(async (path) => {
    mkdirSync(path, { recursive: true });
    const stem = name.slice(0, -FILES.rawTraces.length);
    for (const file of [FILES.rawTraces, FILES.snapshot])
      if (SECOND.includes(`${stem}${file}`)) cpSync(join(DATA, "workspace", `${stem}${file}`), join(path, file));
    await work(path);
  });

describe.skipIf(!hasData)("real samples of the second generation", () => {
  test("have its trace types, and interactions whose arguments are those of the call", async () => {
    const types = new Set<string>();
    const found: string[] = [];
    for (const name of samples)
      await withSample(name, async (path) => {
        const { store, memory } = openMemory(path);
        expect([store.generation, store.directory.problems, store.warnings]).toEqual([2, [], []]);
        for (const { traceType } of store.listTraces()) types.add(traceType);
        for (const one of memory.getToolInteractions()) {
          found.push(`${one.toolName} ${one.status} ${one.error ?? ""}`);
          expect(one.pairing).toBe("id");
          expect(one.arguments).toEqual(one.callTrace!.toolArgs);
        }
        store.close();
      });
    expect([...types].toSorted()).toEqual([
      "assistant",
      "reasoning",
      "tool_call",
      "tool_continuation",
      "tool_result",
      "user",
    ]);
    expect(found.toSorted()).toEqual([
      "generate_image error Tool execution failed.",
      "run_bash success ",
      "run_bash success ",
    ]);
  });

  test.each(samples)("%s is opened, appended to, found to have nothing to compact, and undone", (name) =>
    withSample(name, async (path) => {
      const before = bytesIn(path);
      const { store, memory } = openMemory(path);
      const turn = memory.startTurn();
      await memory.ingestUserMessage("And now?", turn);
      const appended = bytesIn(path);
      const text = before.get(FILES.rawTraces)!;
      expect(appended.get(FILES.rawTraces)!.startsWith(text)).toBe(true);
      expect(JSON.parse(appended.get(FILES.rawTraces)!.slice(text.length))).not.toHaveProperty("tags");
      expect(await memory.compactNow()).toMatchObject({ status: "nothing_to_compact" });
      expect(bytesIn(path)).toEqual(appended);
      const change = { runId: "by-hand", episodic: [], semantic: [], snapshot: null };
      const old = store.listTraces().filter(({ turnId }) => turnId !== turn);
      store.compact({ ...change, remove: new Set(old.map(traceKey)) });
      expect(store.listTraces().map(({ content }) => content)).toEqual(["And now?"]);
      const [segment] = [...bytesIn(path).keys()].filter((file) => file.startsWith(`${FILES.archiveFolder}/`));
      expect(readFileSync(join(path, segment!), "latin1")).toBe(text);
      store.undo("by-hand");
      expect(bytesIn(path)).toEqual(appended);
      store.close();
    }),
  );
});
