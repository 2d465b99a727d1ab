// What is written to a folder: no byte more than was asked for, and nothing when somebody else wrote meanwhile.
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EpisodicItem, MemorySnapshot, RawTrace, SemanticItem } from "#lib/kernel/memory/memory-types.ts";
import { traceKey } from "#lib/kernel/memory/memory-types.ts";
import { readDirectory } from "./directory.ts";
import { passesGate } from "./memory-items-file.ts";
import { readObjects } from "./trace-lines.ts";
import { defaultState, stateFolder } from "./lock.ts";
import { FILES } from "./directory-paths.ts";
import type { Generation } from "./raw-trace.ts";
import { AutobyteusStore, type StoreOptions } from "./store.ts";
import { bytesIn, inFolder, makeDirectory, testHost, timesIn, type Made } from "./testing-directory.ts";

const USER: RawTrace = {
  id: "rt_1780000000000_0a1b2c3d",
  ts: 1_780_000_000,
  turnId: "turn_0055",
  seq: 1,
  traceType: "user",
  content: "Weiter, bitte",
  sourceEvent: "LLMUserMessageReadyEvent",
  tags: ["processed"],
};
const EPISODIC: EpisodicItem = {
  id: "ep_1_0a1b",
  ts: 1,
  turnIds: ["turn_0001"],
  summary: "We discussed refactoring.",
  salience: 0,
};
const SEMANTIC: SemanticItem = {
  id: "sem_1_1",
  ts: 1,
  fact: "Use pnpm exec vitest.",
  salience: 200,
  tags: ["tool"],
  confidence: 0.9,
};
const SNAPSHOT: MemorySnapshot = {
  agentId: "agent-made-up",
  epochId: 4,
  lastCompactionTs: 2,
  schemaVersion: 1,
  messages: [{ role: "system", content: "Hello", toolPayload: null }],
};

/** Work on a made-up folder. The lock and what undoing needs lie beside it. */
const withStore = (
  made: Made,
  work: (store: AutobyteusStore, path: string) => void,
  options: Partial<StoreOptions> = {},
): void =>
  inFolder((base) => {
    const path = join(base, "agents", "made-up");
    makeDirectory(path, made);
    withOpen(path, (store) => work(store, path), options);
  });

function withOpen(path: string, work: (store: AutobyteusStore) => void, options: Partial<StoreOptions> = {}): void {
  const store = new AutobyteusStore(path, { host: testHost(), ...options });
  try {
    work(store);
  } finally {
    store.close();
  }
}

const ALL = ([1, 2] as const).flatMap((generation) =>
  (["python", "javascript"] as const).map((style) => ({ generation, style })),
);

describe.each(ALL)("a folder of generation $generation, written by $style,", (made) => {
  test("is the same byte for byte, times too, after it was opened, read and closed", () => {
    inFolder((base) => {
      const path = join(base, "agents", "made-up");
      makeDirectory(path, { ...made, damage: ["glued", "foreign", "blank", "truncated"] });
      const [bytes, times] = [bytesIn(path), timesIn(path)];
      withOpen(path, (store) => {
        expect([store.list("raw_trace").length, store.list("episodic").length]).toEqual([store.listTraces().length, 3]);
        expect(store.corpus().length).toBeGreaterThan(store.listTraces().length);
        expect(store.readSnapshot()?.epochId).toBe(3);
      });
      expect(bytesIn(path)).toEqual(bytes);
      expect(timesIn(path)).toEqual(times);
    });
  });

  test("grows by the bytes of a record that is appended, and nothing else of it changes", () => {
    withStore({ ...made, damage: ["glued"] }, (store, path) => {
      const before = bytesIn(path);
      store.add([USER]);
      const after = bytesIn(path);
      const line = after.get(FILES.rawTraces)!.slice(before.get(FILES.rawTraces)!.length);
      expect(after.get(FILES.rawTraces)!.startsWith(before.get(FILES.rawTraces)!)).toBe(true);
      expect(JSON.parse(line)).toMatchObject({ turn_id: "turn_0055", content: "Weiter, bitte" });
      expect(Object.hasOwn(JSON.parse(line) as object, "tags")).toBe(made.generation === 1);
      before.delete(FILES.rawTraces);
      after.delete(FILES.rawTraces);
      expect(after).toEqual(before);
      expect(store.listTraces().at(-1)!.content).toBe("Weiter, bitte");
      store.add([EPISODIC]);
      expect(bytesIn(path).get(FILES.episodic)!.startsWith(before.get(FILES.episodic)!)).toBe(true);
    });
  });

  test.each(["truncated", "no_newline"] as const)(
    "whose last line is %s gets a newline before the next record",
    (damage) => {
      withStore({ ...made, damage: [damage] }, (store, path) => {
        const before = bytesIn(path).get(FILES.rawTraces)!;
        const problems = store.directory.problems.map(({ reason }) => reason);
        expect(problems).toEqual(damage === "truncated" ? ["The last line is cut off."] : []);
        store.add([USER]);
        const after = bytesIn(path).get(FILES.rawTraces)!;
        expect(after.startsWith(`${before}\n{`)).toBe(true);
        expect(readDirectory(path).traces.at(-1)!.content).toBe("Weiter, bitte");
      });
    },
  );

  test("has a context of its own schema, compact and without a newline at its end", () => {
    withStore(made, (store, path) => {
      store.writeSnapshot(SNAPSHOT);
      const text = readFileSync(join(path, FILES.snapshot), "utf8");
      expect(text).toBe(
        `{"schema_version":${made.generation === 1 ? 1 : 3},"agent_id":"agent-made-up","epoch_id":4,"last_compaction_ts":2,` +
          `"messages":[{"role":"system","content":"Hello","reasoning_content":null,"image_urls":[],"audio_urls":[],` +
          `"video_urls":[],"tool_payload":null}]}`,
      );
      withOpen(join(path, "..", "other"), () => undefined);
      expect(store.readSnapshot()).toMatchObject({ epochId: 4, messages: [{ content: "Hello" }] });
    });
  });

  test("keeps what a provider put beside a call when its context is written again", () => {
    withStore(made, (store, path) => {
      const before = JSON.parse(readFileSync(join(path, FILES.snapshot), "utf8")) as unknown;
      store.writeSnapshot(store.readSnapshot()!);
      expect(JSON.parse(readFileSync(join(path, FILES.snapshot), "utf8"))).toEqual(before);
    });
  });

  test.each([
    ["the traces", (path: string) => appendFileSync(join(path, FILES.rawTraces), "{}\n")],
    ["the context", (path: string) => writeFileSync(join(path, FILES.snapshot), "{}")],
    [
      "a file that was not there",
      (path: string) => {
        const name = [FILES.rawTracesArchive, FILES.newerManifest].find((one) => !existsSync(join(path, one)))!;
        writeFileSync(join(path, name), "{}\n");
      },
    ],
  ])("is not written to after its agent wrote %s", (_, write) => {
    withStore(made, (store, path) => {
      write(path);
      const before = bytesIn(join(path, "..", ".."));
      const change = {
        runId: "r",
        episodic: [],
        semantic: [],
        remove: new Set(store.listTraces().map(traceKey)),
        snapshot: null,
      };
      for (const work of [
        () => store.add([USER]),
        () => store.add([SEMANTIC]),
        () => store.writeSnapshot(SNAPSHOT),
        () => store.compact(change),
        () => store.planFiles(change),
      ])
        expect(work).toThrow(/was changed by another program/);
      expect(bytesIn(join(path, "..", ".."))).toEqual(before);
    });
  });
});

describe("a new folder", () => {
  test("is of the first generation: the last of a list, and every item as it was given", () => {
    inFolder((base) => {
      const path = join(base, "memory", "agents", "one");
      withOpen(path, (store) => {
        expect([store.list("raw_trace"), store.list("episodic"), store.readSnapshot(), store.corpus()]).toEqual([
          [],
          [],
          null,
          [],
        ]);
        expect(existsSync(path)).toBe(false);
        store.add([1, 2, 3].map((seq) => ({ ...USER, seq, id: `rt_${seq}` })));
        store.add([EPISODIC, SEMANTIC]);
        expect(store.list("raw_trace", 2).map(({ seq }) => seq)).toEqual([2, 3]);
        expect(store.list("raw_trace", 0)).toEqual([]);
      });
      withOpen(path, (store) => {
        expect(store.generation).toBe(1);
        expect(store.list("episodic")).toEqual([EPISODIC]);
        expect(store.list("semantic")).toEqual([SEMANTIC]);
        expect(store.list("raw_trace")).toHaveLength(3);
      });
      expect([...bytesIn(path).keys()]).toEqual([FILES.episodic, FILES.rawTraces, FILES.semantic]);
    });
  });

  test("of the second generation says so from its first record on", () => {
    inFolder((base) => {
      const path = join(base, "agents", "one");
      withOpen(path, (store) => store.add([USER, EPISODIC, SEMANTIC]), { generation: 2 });
      expect(readDirectory(path).generation).toBe(2);
      expect(JSON.parse(readFileSync(join(path, FILES.compactedManifest), "utf8"))).toEqual({
        schema_version: 3,
        last_reset_ts: expect.any(Number) as number,
      });
      expect(readFileSync(join(path, FILES.semantic), "utf8")).toBe(
        '{"id":"sem_1_1","ts":1,"category":"durable_fact","fact":"Use pnpm exec vitest.","salience":200}\n',
      );
      expect(readObjects(readFileSync(join(path, FILES.episodic)))).toEqual([
        { id: "ep_1_0a1b", ts: 1, turn_ids: ["turn_0001"], summary: "We discussed refactoring.", salience: 0 },
      ]);
    });
  });
});

describe("a folder of which nothing tells the generation", () => {
  const withUndetermined = (work: (store: AutobyteusStore, path: string) => void, generation?: Generation): void =>
    inFolder((base) => {
      const path = join(base, "agents", "one");
      mkdirSync(path, { recursive: true });
      writeFileSync(
        join(path, FILES.rawTraces),
        '{"id":"rt_1","ts":1,"turn_id":"t","seq":1,"trace_type":"user","content":"x"}\n',
      );
      withOpen(path, (store) => work(store, path), { generation });
    });

  test("is read and appended to, and refuses facts, contexts and compactions until somebody chooses", () => {
    withUndetermined((store, path) => {
      expect([store.generation, store.listTraces().length]).toEqual([null, 1]);
      const change = { runId: "r", episodic: [], semantic: [SEMANTIC], remove: new Set<string>(), snapshot: null };
      for (const work of [
        () => store.add([USER, SEMANTIC]),
        () => store.writeSnapshot(SNAPSHOT),
        () => store.compact(change),
      ])
        expect(work).toThrow(/Give generation 1 or 2/);
      expect([...bytesIn(path).keys()]).toEqual([FILES.rawTraces]);
      store.add([USER]);
      expect(readDirectory(path)).toMatchObject({ generation: null, problems: [] });
    });
    withUndetermined((store) => {
      store.add([SEMANTIC]);
      expect(store.generation).toBe(2);
    }, 2);
  });
});

describe("the facts of the second generation", () => {
  const lines = (path: string): object[] => readObjects(readFileSync(join(path, FILES.semantic)));

  test("pass its check after everything that we write", () => {
    for (const style of ["python", "javascript"] as const)
      withStore({ generation: 2, style }, (store, path) => {
        const before = readFileSync(join(path, FILES.semantic), "utf8");
        store.add([SEMANTIC, { ...SEMANTIC, id: "sem_1_2", category: "critical_issue" }]);
        store.add([USER, EPISODIC]);
        store.writeSnapshot(SNAPSHOT);
        expect(readFileSync(join(path, FILES.semantic), "utf8").startsWith(before)).toBe(true);
        expect(lines(path)).toHaveLength(5);
        expect(lines(path).every(passesGate)).toBe(true);
        expect(
          lines(path)
            .slice(-2)
            .map((one) => Object.keys(one)),
        ).toEqual(Array.from({ length: 2 }, () => ["id", "ts", "category", "fact", "salience"]));
        expect(store.warnings).toEqual([]);
      });
  });

  test("of another shape are warned of, and have the shape after the next fact", () => {
    inFolder((base) => {
      const path = join(base, "agents", "one");
      makeDirectory(path, { generation: 2, style: "javascript" });
      const [first] = readFileSync(join(path, FILES.semantic), "utf8").split("\n");
      writeFileSync(
        join(path, FILES.semantic),
        `${first}\n{"id":"sem_9_1","ts":9,"fact":"Old shape","confidence":0.5,"salience":3,"tags":["x"]}\nnot JSON\n{"odd":1,"no":"fact"}\n`,
      );
      withOpen(path, (store) => {
        expect(store.warnings.join()).toMatch(/will empty semantic.jsonl when it starts: 2 of its records/);
        store.add([SEMANTIC]);
        expect(lines(path).every(passesGate)).toBe(true);
        expect(readFileSync(join(path, FILES.semantic), "utf8").split("\n")).toEqual([
          first,
          '{"id":"sem_9_1","ts":9,"category":"durable_fact","fact":"Old shape","salience":3}',
          '{"id":"sem_1_1","ts":1,"category":"durable_fact","fact":"Use pnpm exec vitest.","salience":200}',
          "",
        ]);
        expect(store.warnings).toEqual([expect.stringMatching(/^Line 3 /), expect.stringMatching(/^Line 4 /)]);
        const ref = /saved as ([0-9a-f]{64})/.exec(store.warnings[0]!)![1]!;
        const kept = join(stateFolder(defaultState(path), path), "kept", ref);
        expect(readFileSync(kept, "utf8")).toBe("not JSON");
      });
    });
  });

  test.each([
    ["a blank fact", { fact: "  " }],
    ["no time", { ts: Number.NaN }],
    ["no salience", { salience: Number.POSITIVE_INFINITY }],
  ])("are refused with %s, and nothing is written", (_, odd) => {
    withStore({ generation: 2, style: "javascript" }, (store, path) => {
      const before = bytesIn(path);
      expect(() => store.add([USER, { ...SEMANTIC, ...odd }])).toThrow(/cannot be saved/);
      expect(bytesIn(path)).toEqual(before);
    });
  });

  test("are checked as its own code does: tags and references fail, other keys pass", () => {
    const good = { id: "s", ts: 1, category: "critical_issue", fact: "f", salience: 500 };
    expect(passesGate({ ...good, other: 1 })).toBe(true);
    for (const odd of [
      { tags: [] },
      { reference: null },
      { category: "odd" },
      { fact: " " },
      { ts: "1" },
      { id: 1 },
      { salience: null },
    ])
      expect(passesGate({ ...good, ...odd })).toBe(false);
  });
});

describe("the lock", () => {
  test("lets one writer of ours in at a time, by whatever way it came", () => {
    withStore({ generation: 1, style: "javascript" }, (_store, path) => {
      expect(() => new AutobyteusStore(join(path, "..", "made-up"), { host: testHost() })).toThrow(
        new RegExp(`is being written to by process ${process.pid}`),
      );
      const link = join(path, "..", "..", "link");
      symlinkSync(path, link);
      expect(() => new AutobyteusStore(link, { host: testHost(), state: defaultState(path) })).toThrow(
        /is being written/,
      );
    });
  });

  test("of a process that is gone, or whose number another one has, is taken over; closing gives it back", () => {
    inFolder((base) => {
      const path = join(base, "agents", "one");
      makeDirectory(path, { generation: 1, style: "javascript", turns: 1 });
      const folder = stateFolder(defaultState(path), path);
      for (const dead of ["4194999 1 x", `${process.pid} 1 x`, "junk", ""]) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "lock"), dead);
        withOpen(path, () =>
          expect(readFileSync(join(folder, "lock"), "utf8")).toMatch(new RegExp(`^${process.pid} `)),
        );
        expect(existsSync(join(folder, "lock"))).toBe(false);
      }
    });
  });

  test("is in no folder of the agent, and a closed store writes no more", () => {
    withStore({ generation: 1, style: "javascript", turns: 1 }, (store, path) => {
      expect([...bytesIn(path).keys()].filter((name) => name.includes("lock"))).toEqual([]);
      store.close();
      store.close();
      expect(() => store.add([USER])).toThrow(/is closed/);
    });
  });
});

test("a link in the place of a file, and what a newer generation wrote, are not written", () => {
  inFolder((base) => {
    const path = join(base, "agents", "one");
    makeDirectory(path, { generation: 2, style: "javascript", turns: 1 });
    writeFileSync(join(path, FILES.newerManifest), "{}");
    withOpen(path, (store) => expect(() => store.add([USER])).toThrow(/It is read-only here/));
    const other = join(base, "agents", "two");
    mkdirSync(other);
    symlinkSync(join(path, FILES.rawTraces), join(other, FILES.rawTraces));
    expect(() => readDirectory(other)).toThrow(/not a regular file/);
  });
});
