// What is read of folders as they are met, and what is said of the rest.
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corpusIn, readDirectory } from "./directory.ts";
import { readLines } from "./trace-lines.ts";
import { FILES } from "./directory-paths.ts";
import { isTraceRecord, traceLine, traceOf, type Generation } from "./raw-trace.ts";
import { bytesIn, inFolder, makeDirectory, pythonText, timesIn, type Style } from "./testing-directory.ts";

const GENERATIONS: readonly Generation[] = [1, 2];
const STYLES: readonly Style[] = ["python", "javascript"];
const EACH = GENERATIONS.flatMap((generation) => STYLES.map((style) => ({ generation, style })));

const trace = (more: Record<string, unknown> = {}) => ({
  id: "rt_1",
  ts: 1.5,
  turn_id: "turn_0001",
  seq: 1,
  trace_type: "user",
  content: "Hello",
  source_event: "LLMUserMessageReadyEvent",
  ...more,
});

const withFiles = <T>(files: Record<string, string>, work: (path: string) => T): T =>
  inFolder((path) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(path, name, ".."), { recursive: true });
      writeFileSync(join(path, name), text);
    }
    return work(path);
  });

describe("a raw trace", () => {
  test("has all that the design names, and keys of others beside them", () => {
    const record = trace({
      media: { images: ["a.png"], audio: [], video: [] },
      tool_name: "run",
      tool_call_id: "call_1",
      tool_args: { a: 1 },
      tool_result: 0,
      tool_error: "no",
      correlation_id: "c",
      tags: ["processed"],
      tool_result_ref: "art_1",
      vendor: { x: 1 },
    });
    expect(traceOf(record)).toEqual({
      id: "rt_1",
      ts: 1.5,
      turnId: "turn_0001",
      seq: 1,
      traceType: "user",
      content: "Hello",
      sourceEvent: "LLMUserMessageReadyEvent",
      media: { images: ["a.png"], audio: [], video: [] },
      toolName: "run",
      toolCallId: "call_1",
      toolArgs: { a: 1 },
      toolResult: 0,
      toolError: "no",
      correlationId: "c",
      tags: ["processed"],
      toolResultRef: "art_1",
      unknown: { vendor: { x: 1 } },
    });
    expect(JSON.parse(traceLine(traceOf(record), 1))).toEqual(record);
  });

  test("is written with its keys in the design's order, those of others last", () => {
    const line = traceLine({ ...traceOf(trace({ tags: ["x"], tool_result: "r", odd: 1 })), toolCallId: "c" }, 1);
    expect(Object.keys(JSON.parse(line) as object)).toEqual(
      ["id", "ts", "turn_id", "seq", "trace_type", "content", "source_event", "tool_call_id", "tool_result"].concat([
        "tags",
        "odd",
      ]),
    );
    expect(line.endsWith("}\n")).toBe(true);
  });

  test("is written without what is null or empty; a result of 0, false or nothing but quotes is a result", () => {
    const empty = { toolName: "", toolCallId: null, toolArgs: null, toolError: "", correlationId: undefined, tags: [] };
    expect(traceLine({ ...traceOf(trace()), ...empty, toolResult: null, media: null }, 1)).toBe(
      `${JSON.stringify(trace())}\n`,
    );
    for (const toolResult of [0, "", false])
      expect(JSON.parse(traceLine({ ...traceOf(trace()), toolResult }, 1))).toEqual(trace({ tool_result: toolResult }));
  });

  test("has neither tags nor a reference in the second generation, nor while the generation is not known", () => {
    const one = traceOf(
      trace({ tags: ["processed"], tool_result_ref: "art_1", tool_result: { artifact_id: "art_1" } }),
    );
    for (const generation of [2, null] as const)
      expect(JSON.parse(traceLine(one, generation))).toEqual(trace({ tool_result: { artifact_id: "art_1" } }));
    expect(JSON.parse(traceLine(one, 1))).toHaveProperty("tool_result_ref", "art_1");
  });

  test("is written whatever a tool returned: what is no JSON as its text", () => {
    const ring: { self?: unknown } = {};
    ring.self = ring;
    const result = { big: 12n, not: Number.NaN, f: Symbol("s"), ring, same: [ring, ring] };
    const read = JSON.parse(traceLine({ ...traceOf(trace()), toolResult: result }, 1)) as { tool_result: object };
    expect(read.tool_result).toMatchObject({
      big: "12",
      not: "NaN",
      f: "Symbol(s)",
      ring: { self: "[object Object]" },
    });
  });

  test("without a turn or a call id is read all the same", () => {
    const bare = traceOf({ trace_type: "tool_call", tool_name: "ls", turn_id: null, content: null });
    expect(bare).toMatchObject({ turnId: null, seq: 0, ts: 0, content: "", traceType: "tool_call", toolName: "ls" });
    expect(bare.toolCallId).toBeUndefined();
  });
});

describe("lines", () => {
  test("that are glued together are each read, with the place of each", () => {
    const [a, b] = [JSON.stringify(trace({ id: "é1" })), JSON.stringify(trace({ id: "rt_2" }))];
    const { lines, problems } = readLines("f", Buffer.from(`${a}${b}\n`), isTraceRecord);
    expect(lines).toHaveLength(1);
    expect(lines[0]!.records.map(({ value }) => value["id"])).toEqual(["é1", "rt_2"]);
    const bytes = Buffer.from(`${a}${b}\n`);
    expect(lines[0]!.records.map(({ at }) => bytes.subarray(at.byteStart, at.byteEnd).toString())).toEqual([a, b]);
    expect(problems.map(({ reason }) => reason)).toEqual([
      "2 records on one line, without a newline between them. All were read.",
    ]);
  });

  test("of which one is cut off inside the next lose exactly that one", () => {
    const whole = JSON.stringify(trace({ id: "rt_2" }));
    const text = `{"id":"rt_1","ts":1,"content":"cut of${whole}\n`;
    const { lines, problems } = readLines("f", Buffer.from(text), isTraceRecord);
    expect(lines[0]!.records.map(({ value }) => value["id"])).toEqual(["rt_2"]);
    expect(problems).toMatchObject([{ byteStart: 0, byteEnd: 37, line: 1, reason: "An unfinished object." }]);
  });

  test("keep their number and bytes, whatever stands around them", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc
              .record({ trace_type: fc.constant("user"), content: fc.string({ unit: "binary" }) })
              .map((one) => [JSON.stringify(one), pythonText(one)]),
            fc
              .constantFrom("", "  ", "not json", "[1]", "null", '{"half":', "\u0000\u0000", "é")
              .map((one) => [one, one]),
          ),
        ),
        fc.boolean(),
        (parts, isEnded) => {
          const texts = parts.flat();
          const bytes = Buffer.from(texts.join("\n") + (isEnded ? "\n" : ""));
          const { lines } = readLines("f", bytes, isTraceRecord);
          const rebuilt = lines.map(({ at }) => bytes.subarray(at.byteStart, Math.min(at.byteEnd + 1, bytes.length)));
          expect(Buffer.concat(rebuilt).equals(bytes)).toBe(true);
          expect(lines.map(({ at }) => at.line)).toEqual(lines.map((_, at) => at + 1));
          expect(lines.flatMap(({ records }) => records)).toHaveLength(
            texts.filter((text) => text.includes("trace_type")).length,
          );
        },
      ),
    );
  });
});

describe("the generation", () => {
  const line = (value: object): string => `${JSON.stringify(value)}\n`;
  const snapshot = (schema_version: number): string => JSON.stringify({ schema_version, agent_id: "a", messages: [] });
  const traces = line(trace());

  test.each<[string, Record<string, string>, Generation | null]>([
    ["raw traces alone", { [FILES.rawTraces]: traces }, null],
    ["an archive file", { [FILES.rawTraces]: traces, [FILES.rawTracesArchive]: "" }, 1],
    ["a snapshot of schema 1", { [FILES.snapshot]: snapshot(1) }, 1],
    ["tags in raw traces", { [FILES.rawTraces]: line(trace({ tags: ["processed"] })) }, 1],
    ["a reference in raw traces", { [FILES.rawTraces]: line(trace({ tool_result_ref: "art_1" })) }, 1],
    ["confidence in semantic items", { [FILES.semantic]: line({ id: "s", ts: 1, fact: "f", confidence: 0 }) }, 1],
    ["a manifest of compacted memory", { [FILES.compactedManifest]: "{}" }, 2],
    ["a manifest of an archive", { [FILES.archiveManifest]: "{}" }, 2],
    ["a snapshot of schema 3", { [FILES.snapshot]: snapshot(3) }, 2],
    [
      "a category in semantic items",
      { [FILES.semantic]: line({ id: "s", ts: 1, fact: "f", category: "durable_fact" }) },
      2,
    ],
    ["a reasoning trace", { [FILES.rawTraces]: line(trace({ trace_type: "reasoning" })) }, 2],
    ["an id with a call id", { [FILES.rawTraces]: line(trace({ id: "rt_17_call_9" })) }, 2],
    ["an id that we made", { [FILES.rawTraces]: line(trace({ id: "rt_17_0a1b2c3d" })) }, null],
  ])("is told by %s", (_, files, generation) => {
    withFiles(files, (path) => expect(readDirectory(path).generation).toBe(generation));
  });

  test("of a folder that both wrote to is the second, with a warning", () => {
    const files = { [FILES.rawTraces]: line(trace({ tags: ["processed"] })), [FILES.archiveManifest]: "{}" };
    withFiles(files, (path) => {
      const found = readDirectory(path);
      expect(found.generation).toBe(2);
      expect(found.warnings.join()).toMatch(/Both generations wrote here/);
    });
  });

  test("that nothing tells is the one that the caller chose, and only then", () => {
    withFiles({ [FILES.rawTraces]: traces }, (path) => expect(readDirectory(path, 2).generation).toBe(2));
    withFiles({ [FILES.snapshot]: snapshot(1) }, (path) => expect(readDirectory(path, 2).generation).toBe(1));
  });

  test("after the second is told, and what it wrote is read", () => {
    const files = { [FILES.rawTraces]: traces, [FILES.snapshot]: snapshot(5) };
    withFiles(files, (path) => {
      const found = readDirectory(path);
      expect([found.isNewer, found.traces.length]).toEqual([true, 1]);
      expect(found.warnings.join()).toMatch(/A newer Autobyteus/);
    });
  });
});

describe("a made-up folder", () => {
  test.each(EACH)("of generation $generation, written by $style, is read whole", ({ generation, style }) => {
    inFolder((path) => {
      makeDirectory(path, { generation, style });
      const [bytes, times] = [bytesIn(path), timesIn(path)];
      const found = readDirectory(path);
      expect([found.generation, found.problems, found.warnings]).toEqual([generation, [], []]);
      expect(new Set(found.traces.map(({ turnId }) => turnId)).size).toBe(50);
      expect(new Set(found.archived.map(({ turnId }) => turnId)).size).toBe(4);
      expect([found.episodic.length, found.semantic.length]).toEqual([3, 3]);
      expect(found.episodic[0]!.summary).toBe("Étape 1: the parser was split, and its tests pass.");
      expect(found.traces[0]!.content).toBe("Tâche 5 🚢");
      expect(found.traces[2]!.unknown).toEqual({ vendor_note: "n5" });
      expect(found.snapshot).toMatchObject({ epochId: 3, lastCompactionTs: 1_770_923_021 });
      const file = readFileSync(join(path, FILES.rawTraces));
      for (const { at, id } of found.traces)
        expect(JSON.parse(file.subarray(at.byteStart, at.byteEnd).toString())).toMatchObject({ id });
      expect(bytesIn(path)).toEqual(bytes);
      expect(timesIn(path)).toEqual(times);
    });
  });

  test("loses no trace although two of a turn have the same id", () => {
    inFolder((path) => {
      makeDirectory(path, { generation: 1, style: "javascript", turns: 60 });
      const found = readDirectory(path);
      const corpus = corpusIn(found);
      expect(corpus).toHaveLength(64 * 5);
      expect(new Set(corpus.map(({ id }) => id)).size).toBe(64 * 4);
    });
  });

  test("with damage of every kind says where, and gives the rest", () => {
    inFolder((path) => {
      makeDirectory(path, { generation: 1, style: "python", damage: ["glued", "foreign", "blank", "truncated"] });
      const { problems, traces } = readDirectory(path);
      expect(traces).toHaveLength(50 * 5 - 1);
      expect(problems.map(({ line, reason }) => [line, reason])).toEqual([
        [6, "2 records on one line, without a newline between them. All were read."],
        [10, "Not JSON."],
        [11, "It is JSON, but not an object."],
        [254, "The last line is cut off."],
        [12, "It lacks required fields. It stays unchanged."],
      ]);
    });
  });

  test("has a corpus of archive and active file by time, each trace once, the active one first", () => {
    inFolder((path) => {
      makeDirectory(path, { generation: 1, style: "python", turns: 2, archivedTurns: 1 });
      // A crash of its own code between the two files leaves a trace in both.
      const [first] = readFileSync(join(path, FILES.rawTraces), "utf8").split("\n");
      appendFileSync(join(path, FILES.rawTracesArchive), `${first!.replace("processed", "older")}\n`);
      const found = readDirectory(path);
      const corpus = corpusIn(found);
      expect(corpus.map(({ turnId, seq }) => `${turnId} ${seq}`)).toEqual(
        ["turn_0001", "turn_0002", "turn_0003"].flatMap((turn) => [1, 2, 3, 4, 5].map((seq) => `${turn} ${seq}`)),
      );
      expect(corpus).toContain(found.traces[0]);
    });
  });

  test("has an archive of complete segments alone, and says which are missing or lead elsewhere", () => {
    inFolder((path) => {
      makeDirectory(path, { generation: 2, style: "javascript" });
      expect(readDirectory(path).archived.some(({ id }) => id === "rt_never")).toBe(false);
      const manifest = JSON.parse(readFileSync(join(path, FILES.archiveManifest), "utf8")) as {
        segments: { file_name: string; status: string }[];
      };
      manifest.segments[1]!.file_name = "../../outside.jsonl";
      manifest.segments[2]!.status = "complete";
      rmSync(join(path, FILES.archiveFolder, manifest.segments[2]!.file_name));
      writeFileSync(join(path, FILES.archiveManifest), JSON.stringify(manifest));
      const found = readDirectory(path);
      expect(found.archived).toHaveLength(10);
      expect(found.warnings).toEqual([
        'The archive names "../../outside.jsonl", which is not a file in it.',
        expect.stringMatching(/000003_.*, which does not exist/),
      ]);
    });
  });
});

describe("a snapshot", () => {
  const file = (value: unknown): Record<string, string> => ({
    [FILES.snapshot]: JSON.stringify(value),
    [FILES.compactedManifest]: "{}",
  });
  const whole = {
    schema_version: 3,
    agent_id: "a",
    epoch_id: 7,
    last_compaction_ts: null,
    messages: [{ role: "user" }],
  };

  test("of schema 3 is one of the second generation; whatever is wrong, it is said and there is none", () => {
    withFiles(file(whole), (path) => expect(readDirectory(path).snapshot?.epochId).toBe(7));
    const odd: [object, RegExp][] = [
      [{ ...whole, schema_version: 1 }, /schema_version is 1, not 3/],
      [{ ...whole, schema_version: "3" }, /schema_version is not a number/],
      [{ ...whole, agent_id: undefined }, /agent_id is not a text/],
      [{ ...whole, messages: {} }, /messages are not a list/],
      [{ ...whole, messages: [{ role: 1 }] }, /message 1 has no role/],
      [[], /not a JSON object/],
    ];
    for (const [value, said] of odd)
      withFiles(file(value), (path) => {
        const found = readDirectory(path);
        expect(found.snapshot).toBeNull();
        expect(found.warnings.join()).toMatch(said);
      });
  });

  test("of the first generation may have any number", () => {
    const files = { [FILES.rawTracesArchive]: "", [FILES.snapshot]: JSON.stringify({ ...whole, schema_version: 1 }) };
    withFiles(files, (path) => expect(readDirectory(path).snapshot?.epochId).toBe(7));
  });
});
