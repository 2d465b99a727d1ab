// Compactions of folders, and taking them back.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CompactionChange, RawTrace } from "#lib/kernel/memory/memory-types.ts";
import { traceKey } from "#lib/kernel/memory/memory-types.ts";
import { startOfBeginning } from "./directory-plan.ts";
import { corpusIn, readDirectory } from "./directory.ts";
import { passesGate } from "./memory-items-file.ts";
import { keepIn, listJournals, writeJournal } from "./run-journal.ts";
import { readObject } from "./trace-lines.ts";
import { defaultState, stateFolder } from "./lock.ts";
import { FILES } from "./directory-paths.ts";
import { AutobyteusStore, type StoreOptions } from "./store.ts";
import { bytesIn, inFolder, linesIn, makeDirectory, testHost, type Made } from "./testing-directory.ts";
import { foldersProperty } from "./testing-folders.ts";

function withOpen<T>(path: string, work: (store: AutobyteusStore) => T, options: Partial<StoreOptions> = {}): T {
  const store = new AutobyteusStore(path, { host: testHost(), ...options });
  try {
    return work(store);
  } finally {
    store.close();
  }
}

const withFolder = <T>(made: Made, work: (path: string) => T): T =>
  inFolder((base) => {
    const path = join(base, "agents", "made-up");
    makeDirectory(path, made);
    return work(path);
  });

const turnsOf = (traces: readonly RawTrace[]): string[] => [...new Set(traces.map(({ turnId }) => turnId ?? ""))];

/** Takes the first turns away, and keeps an item of each kind and a context in their place. */
function changeOf(store: AutobyteusStore, turns: number, runId = "run-1"): CompactionChange {
  const gone = turnsOf(store.listTraces()).slice(0, turns);
  return {
    runId,
    episodic: [{ id: `ep_${runId}`, ts: 1, turnIds: gone, summary: "Summary", salience: 0, tags: ["x"] }],
    semantic: [
      { id: `sem_${runId}`, ts: 1, fact: "Fact A", salience: 300, category: "user_preference", confidence: 0.9 },
    ],
    remove: new Set(
      store
        .listTraces()
        .filter(({ turnId }) => gone.includes(turnId ?? ""))
        .map(traceKey),
    ),
    snapshot: {
      ...store.readSnapshot()!,
      epochId: store.readSnapshot()!.epochId + 1,
      lastCompactionTs: 5,
      messages: [{ role: "system", content: "Compacted", toolPayload: null }],
    },
  };
}

const later: RawTrace = {
  id: "rt_1780000000000_0a1b2c3d",
  ts: 1_780_000_000,
  turnId: "turn_9000",
  seq: 1,
  traceType: "user",
  content: "Later",
  sourceEvent: "e",
};

const breakOff = (): never => {
  throw new Error("broke off");
};

function errorOf(work: () => void): string {
  try {
    work();
    return "";
  } catch (error) {
    return String(error);
  }
}

const ALL = ([1, 2] as const).flatMap((generation) =>
  (["python", "javascript"] as const).map((style) => ({
    generation,
    style,
    damage: ["glued", "foreign", "blank"] as const,
  })),
);

describe.each(ALL)("a folder of generation $generation, written by $style,", (made) => {
  test("has after a compaction the rest in the active file, the first turns in the archive, and the items", () => {
    withFolder(made, (path) => {
      const before = { lines: linesIn(path), found: readDirectory(path) };
      withOpen(path, (store) => {
        store.compact(changeOf(store, 30));
        expect(turnsOf(store.listTraces())).toHaveLength(20);
        expect(turnsOf(store.listArchived())).toHaveLength(34);
        expect([store.list("episodic").at(-1)!.summary, store.list("semantic").at(-1)!.fact]).toEqual([
          "Summary",
          "Fact A",
        ]);
        expect(store.readSnapshot()).toMatchObject({ epochId: 4, lastCompactionTs: 5 });
        expect(store.corpus().map(traceKey)).toEqual(corpusIn(before.found).map(traceKey));
        expect(store.warnings).toEqual([]);
      });
      expect(linesIn(path)).toEqual(before.lines);
      const found = readDirectory(path);
      expect(found.files.get(FILES.semantic)!.lines.every(({ records }) => passesGate(records[0]!.value))).toBe(
        made.generation === 2,
      );
      expect(found.generation).toBe(made.generation);
    });
  });

  test("keeps each line that stays byte for byte, foreign and blank ones and those without a turn too", () => {
    withFolder(made, (path) => {
      appendFileSync(join(path, FILES.rawTraces), '{"id": "rt_0",  "trace_type": "user", "turn_id": null}\n');
      const before = readFileSync(join(path, FILES.rawTraces), "latin1").split("\n");
      withOpen(path, (store) => {
        const all = { ...changeOf(store, 50), remove: new Set(store.listTraces().map(traceKey)) };
        store.compact(all);
        expect(turnsOf(store.listTraces())).toEqual([""]);
      });
      const stays = (line: string): boolean => !line.includes('"turn_id"') || line.includes('"rt_0"');
      expect(readFileSync(join(path, FILES.rawTraces), "latin1").split("\n")).toEqual(before.filter(stays));
    });
  });

  test("says before a compaction what it will do to which file, and does nothing", () => {
    withFolder(made, (path) => {
      const before = bytesIn(path);
      withOpen(path, (store) => {
        const change = changeOf(store, 10);
        const planned = store.planFiles(change);
        expect(bytesIn(path)).toEqual(before);
        store.compact(change);
        // A segment is named for the moment in which it is written.
        const nameOf = (file: string): string => file.replace(/_\d{8}T\d{9}Z_/, "_");
        const sizes = (files: Map<string, string>): Map<string, number> =>
          new Map([...files].map(([file, text]) => [nameOf(file), text.length]));
        const [was, is] = [sizes(before), sizes(bytesIn(path))];
        for (const { file, bytesBefore, bytesAfter } of planned)
          expect([file, was.get(nameOf(file)) ?? null, is.get(nameOf(file))]).toEqual([file, bytesBefore, bytesAfter]);
        const named = new Set(planned.map(({ file }) => nameOf(file)));
        for (const [file, size] of is) expect([file, named.has(file) || size === was.get(file)]).toEqual([file, true]);
        expect(planned).toHaveLength(made.generation === 1 ? 5 : 6);
      });
    });
  });

  test("is byte for byte what it was after a compaction is undone, and undone again", () => {
    withFolder({ ...made, archivedTurns: 0, damage: ["truncated"] }, (path) => {
      const before = bytesIn(path);
      withOpen(path, (store) => store.compact(changeOf(store, 50)));
      expect(bytesIn(path)).not.toEqual(before);
      withOpen(path, (store) => {
        store.undo("run-1");
        expect(bytesIn(path)).toEqual(before);
        store.undo("run-1");
        expect(turnsOf(store.listTraces())).toHaveLength(50);
      });
      expect(bytesIn(path)).toEqual(before);
      expect(existsSync(join(path, FILES.archiveFolder))).toBe(false);
    });
  });

  test("keeps what came after a compaction that is undone: records, facts and messages", () => {
    withFolder(made, (path) => {
      const before = bytesIn(path);
      withOpen(path, (store) => {
        store.compact(changeOf(store, 20));
        store.add([later, { id: "ep_later", ts: 9, turnIds: [], summary: "Later too", salience: 0 }]);
        const { messages, ...rest } = store.readSnapshot()!;
        store.writeSnapshot({
          ...rest,
          messages: [...messages, { role: "user", content: "Since", toolPayload: null }],
        });
        store.undo("run-1");
        expect(store.listTraces().at(-1)!.content).toBe("Later");
        expect(turnsOf(store.listTraces())).toHaveLength(51);
        expect(store.list("episodic").map(({ id }) => id)).not.toContain("ep_run-1");
        expect(store.list("episodic").at(-1)!.id).toBe("ep_later");
        expect(store.readSnapshot()).toMatchObject({ epochId: 4 });
        expect(store.readSnapshot()!.messages.map(({ content }) => content)).toEqual([
          "You are careful.",
          null,
          null,
          "Since",
        ]);
      });
      const after = bytesIn(path);
      for (const name of [FILES.rawTraces, FILES.episodic])
        expect(after.get(name)!.startsWith(before.get(name)!)).toBe(true);
      for (const name of [FILES.rawTracesArchive, FILES.archiveManifest, FILES.semantic])
        expect(after.get(name)).toBe(before.get(name));
      expect([...after.keys()]).toEqual([...before.keys()]);
    });
  });

  test("is not undone after its agent changed what the compaction wrote, nor before a later compaction is", () => {
    withFolder(made, (path) => {
      withOpen(path, (store) => {
        store.compact(changeOf(store, 10));
        store.compact(changeOf(store, 10, "run-2"));
        expect(() => store.undo("run-1")).toThrow(/Compaction run-2 came after run-1/);
        expect(() => store.undo("run-9")).toThrow(/No compaction run-9/);
      });
      const text = readFileSync(join(path, FILES.rawTraces), "utf8");
      writeFileSync(join(path, FILES.rawTraces), text.slice(text.indexOf("\n") + 1));
      const before = bytesIn(path);
      withOpen(path, (store) => expect(() => store.undo("run-2")).toThrow(/was changed by another program/));
      expect(bytesIn(path)).toEqual(before);
      writeFileSync(join(path, FILES.rawTraces), text);
      withOpen(path, (store) => {
        store.undo("run-2");
        store.undo("run-1");
        expect(turnsOf(store.listTraces())).toHaveLength(50);
      });
    });
  });

  test("forgets a compaction with the bytes that it was kept with, and then cannot undo it", () => {
    withFolder(made, (path) => {
      const kept = join(stateFolder(defaultState(path), path), "kept");
      withOpen(path, (store) => {
        store.compact(changeOf(store, 10));
        store.compact(changeOf(store, 10, "run-2"));
        const after = bytesIn(path);
        const count = readdirSync(kept).length;
        store.forget("run-1");
        expect(readdirSync(kept).length).toBeLessThan(count);
        expect(() => store.undo("run-1")).toThrow(/No compaction run-1/);
        store.undo("run-2");
        store.forget("run-2");
        store.forget("run-2");
        expect(readdirSync(kept)).toEqual([]);
        expect(bytesIn(path)).not.toEqual(after);
      });
    });
  });

  test("is changed once by a compaction that is asked for twice, also under another name", () => {
    withFolder(made, (path) => {
      const change = withOpen(path, (store) => {
        const one = changeOf(store, 10);
        store.compact(one);
        return one;
      });
      const after = bytesIn(path);
      withOpen(path, (store) => {
        store.compact(change);
        expect(bytesIn(path)).toEqual(after);
        store.compact({ ...change, runId: "another" });
        expect(bytesIn(path)).toEqual(after);
      });
    });
  });

  test("whose agent wrote to it after a compaction was cut short keeps all of both", () => {
    withFolder(made, (path) => {
      const lines = linesIn(path);
      withOpen(path, (store) => store.compact(changeOf(store, 10)));
      const folder = stateFolder(defaultState(path), path);
      const [entry] = listJournals(folder);
      const swap = entry!.steps.findIndex(({ file }) => file === FILES.rawTraces);
      // As a kill before the active file was changed leaves it; then its agent went on.
      writeFileSync(join(path, FILES.rawTraces), keepIn(join(folder, "kept")).get(entry!.steps[swap]!.beforeRef!));
      const context = entry!.steps.find(({ file }) => file === FILES.snapshot)!;
      writeFileSync(join(path, FILES.snapshot), keepIn(join(folder, "kept")).get(context.beforeRef!));
      appendFileSync(join(path, FILES.rawTraces), '{"id":"rt_x","trace_type":"user","turn_id":"turn_0077"}\n');
      writeJournal(folder, { ...entry!, state: "applying" });
      withOpen(path, (store) => {
        expect(turnsOf(store.listTraces())).toHaveLength(41);
        expect(store.readSnapshot()!.epochId).toBe(4);
        store.undo("run-1");
        expect(turnsOf(store.listTraces())).toHaveLength(51);
      });
      const now = linesIn(path);
      expect(now.delete('{"id":"rt_x","trace_type":"user","turn_id":"turn_0077"}')).toBe(true);
      expect(now).toEqual(lines);
    });
  });

  test("is finished when it is opened again after a writer broke off anywhere, and can be undone", () => {
    let after = 0;
    const isCutShort = (): boolean =>
      withFolder({ ...made, turns: 4 }, (path) => {
        const before = { bytes: bytesIn(path), found: readDirectory(path) };
        const kept = keepIn(join(stateFolder(defaultState(path), path), "kept"));
        let left = after++;
        const broken = { ...kept, get: (ref: string) => (left-- > 0 ? kept.get(ref) : breakOff()) };
        const error = withOpen(path, (store) => errorOf(() => store.compact(changeOf(store, 2))), { keep: broken });
        const keys = corpusIn(before.found).map(traceKey);
        expect(corpusIn(readDirectory(path)).map(traceKey)).toEqual(keys);
        withOpen(path, (store) => {
          expect(turnsOf(store.listTraces())).toHaveLength(2);
          expect(store.corpus().map(traceKey)).toEqual(keys);
          store.undo("run-1");
        });
        expect(bytesIn(path)).toEqual(before.bytes);
        return /broke off/.test(error);
      });
    while (isCutShort());
    expect(after).toBeGreaterThan(5);
  });

  test("that cannot be finished says so, and loses nothing", () => {
    withFolder(made, (path) => {
      const lines = linesIn(path);
      withOpen(path, (store) => store.compact(changeOf(store, 10)));
      const folder = stateFolder(defaultState(path), path);
      writeFileSync(join(path, FILES.snapshot), "{}");
      writeJournal(folder, { ...listJournals(folder)[0]!, state: "applying" });
      withOpen(path, (store) => {
        expect(store.warnings.join()).toMatch(/Compaction run-1 was interrupted and cannot be finished/);
        const nothing = { episodic: [], semantic: [], remove: new Set<string>(), snapshot: null };
        expect(() => store.compact({ ...nothing, runId: "run-1" })).toThrow(/was interrupted/);
        expect(() => store.undo("run-1")).toThrow(/was interrupted/);
      });
      expect(linesIn(path)).toEqual(lines);
    });
  });
});

describe("the archive of the first generation", () => {
  test("is not given again what a killed writer had put there, whole or in part", () => {
    for (const part of [0, 7, 300, 1000, 1e9])
      withFolder({ generation: 1, style: "python" }, (path) => {
        const lines = linesIn(path);
        const block = readFileSync(join(path, FILES.rawTraces)).subarray(0, 6000);
        const whole = block.subarray(0, block.lastIndexOf("\n") + 1);
        appendFileSync(join(path, FILES.rawTracesArchive), whole.subarray(0, part));
        withOpen(path, (store) => store.compact(changeOf(store, 30)));
        expect(linesIn(path)).toEqual(lines);
      });
  });

  test("that ends with a beginning of what is added is told from one that does not", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "aa"), { maxLength: 6 }),
        fc.array(fc.constantFrom("a", "b", "aa"), { minLength: 1, maxLength: 6 }),
        fc.nat(8),
        (archived, added, torn) => {
          const block = added.map((line) => `${line}\n`).join("");
          const archive = archived.map((line) => `${line}\n`).join("") + block.slice(0, torn);
          const at = startOfBeginning(Buffer.from(archive), Buffer.from(block));
          const isLine = (from: number): boolean => from === 0 || archive[from - 1] === "\n";
          const starts = Array.from({ length: archive.length }, (_, from) => from).filter(
            (from) => isLine(from) && block.startsWith(archive.slice(from)),
          );
          expect(at).toBe(starts[0] ?? archive.length);
        },
      ),
    );
  });
});

describe("the archive of the second generation", () => {
  const small = (path: string, lines: readonly object[]): void => {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, FILES.rawTraces), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    writeFileSync(join(path, FILES.compactedManifest), '{"schema_version":3,"last_reset_ts":1}');
  };
  const record = (id: string, seq: number, trace_type = "user") => ({
    id,
    ts: seq,
    turn_id: "t1",
    seq,
    trace_type,
    content: id,
    source_event: "e",
  });
  const manifestOf = (path: string) =>
    readObject(readFileSync(join(path, FILES.archiveManifest))) as {
      next_segment_index: number;
      segments: { file_name: string; boundary_key: string; status: string; record_count: number }[];
    };
  const nothing = { episodic: [], semantic: [], snapshot: null };

  test("has a segment for a compaction, complete, with what its own code would write into the manifest", () => {
    inFolder((base) => {
      const path = join(base, "agents", "one");
      small(path, [record("rt-remove", 1), record("rt-keep", 2)]);
      withOpen(path, (store) => {
        store.compact({ ...nothing, runId: "r", remove: new Set([traceKey(store.listTraces()[0]!)]) });
        expect(store.listTraces().map(({ id }) => id)).toEqual(["rt-keep"]);
        expect(store.corpus().map(({ id }) => id)).toEqual(["rt-remove", "rt-keep"]);
      });
      expect(manifestOf(path)).toEqual({
        schema_version: 1,
        next_segment_index: 2,
        segments: [
          {
            index: 1,
            file_name: expect.stringMatching(/^000001_\d{8}T\d{9}Z_[0-9a-f]{8}\.jsonl$/) as string,
            boundary_type: "native_compaction",
            // The first 8 hex of the sha-256 of the ids that were removed.
            boundary_key: "native_compaction:8fa29c13",
            boundary_trace_id: null,
            runtime_kind: "AUTOBYTEUS",
            source_event: "native_compaction",
            archived_at: expect.any(Number) as number,
            first_trace_id: "rt-remove",
            last_trace_id: "rt-remove",
            first_ts: 1,
            last_ts: 1,
            record_count: 1,
            status: "complete",
          },
        ],
      });
    });
  });

  test("has one segment after a try that was never finished: its pending entry is dropped", () => {
    inFolder((base) => {
      const path = join(base, "agents", "one");
      small(path, [record("rt-settled", 1), record("rt-open", 2)]);
      const change = (store: AutobyteusStore) => ({
        ...nothing,
        runId: "r",
        remove: new Set([traceKey(store.listTraces()[0]!)]),
      });
      withOpen(path, (store) => store.compact(change(store)));
      const done = manifestOf(path);
      // As another writer leaves it that was killed between the two manifests, long ago.
      small(path, [record("rt-settled", 1), record("rt-open", 2)]);
      writeFileSync(
        join(path, FILES.archiveManifest),
        JSON.stringify({ ...done, segments: [{ ...done.segments[0], status: "pending" }] }),
      );
      expect(readDirectory(path).archived).toEqual([]);
      withOpen(
        path,
        (store) => {
          store.compact(change(store));
          expect(store.listArchived().map(({ id }) => id)).toEqual(["rt-settled"]);
        },
        { state: join(base, "other") },
      );
      expect(manifestOf(path).segments.map(({ status, record_count }) => [status, record_count])).toEqual([
        ["complete", 1],
      ]);
    });
  });

  test("gets no second segment for the same traces: what it holds is only taken out of the active file", () => {
    inFolder((base) => {
      const path = join(base, "agents", "one");
      const lines = [record("rt-1", 1), record("rt-2", 2)];
      small(path, lines);
      const change = (store: AutobyteusStore) => ({
        ...nothing,
        runId: "r",
        remove: new Set([traceKey(store.listTraces()[0]!)]),
      });
      withOpen(path, (store) => store.compact(change(store)));
      const manifest = readFileSync(join(path, FILES.archiveManifest), "utf8");
      small(path, lines);
      withOpen(
        path,
        (store) => {
          store.compact(change(store));
          expect(store.listTraces().map(({ id }) => id)).toEqual(["rt-2"]);
        },
        { state: join(base, "other") },
      );
      expect(readFileSync(join(path, FILES.archiveManifest), "utf8")).toBe(manifest);
      // Another trace with the same id is none that is archived.
      small(path, [record("rt-1", 9, "assistant"), record("rt-2", 10)]);
      withOpen(path, (store) => store.compact(change(store)), { state: join(base, "third") });
      expect(readDirectory(path).archived.map(({ id, traceType }) => [id, traceType])).toEqual([
        ["rt-1", "user"],
        ["rt-1", "assistant"],
      ]);
    });
  });

  test("takes what stands before a provider's marker, and the marker stays", () => {
    inFolder((base) => {
      const path = join(base, "agents", "one");
      small(path, [record("before", 1), record("marker", 2, "provider_compaction_boundary"), record("after", 3)]);
      const before = bytesIn(path);
      const boundary = { type: "provider_compaction_boundary", key: "codex:marker", traceId: "marker" } as const;
      withOpen(path, (store) => {
        store.rotate("rot", "marker", boundary);
        store.rotate("rot", "marker", boundary);
        expect(store.listTraces().map(({ id }) => id)).toEqual(["marker", "after"]);
        expect(store.corpus().map(({ id }) => id)).toEqual(["before", "marker", "after"]);
        expect(manifestOf(path).segments).toMatchObject([
          {
            boundary_type: "provider_compaction_boundary",
            boundary_trace_id: "marker",
            record_count: 1,
            status: "complete",
          },
        ]);
        store.rotate("none", "marker", { ...boundary, key: "codex:again" });
        store.undo("rot");
      });
      expect(bytesIn(path)).toEqual(before);
    });
  });

  test("whose manifest is damaged is not added to", () => {
    withFolder({ generation: 2, style: "javascript" }, (path) => {
      writeFileSync(join(path, FILES.archiveManifest), "{");
      const before = bytesIn(path);
      withOpen(path, (store) => {
        expect(store.warnings.join()).toMatch(/is not a JSON object. Its archive is not read/);
        expect(() => store.compact(changeOf(store, 10))).toThrow(/cannot be read. Repair it/);
      });
      expect(bytesIn(path)).toEqual(before);
    });
  });
});

test("whatever is done to a folder, in whatever order, no line is lost and no kept line changes", () => {
  // Each run is some dozens of synced writes: `npm run long` makes as many runs as are asked for.
  fc.assert(foldersProperty(), { numRuns: 25 });
});
