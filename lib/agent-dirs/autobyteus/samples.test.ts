// Folders in the shape of those that agents of either generation leave after one turn, written by hand. The real ones, where
// they are at hand, are opened in kernel.test.ts.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MemoryManager } from "#lib/kernel/memory/memory-manager.ts";
import { buildToolInteractions } from "#lib/kernel/memory/tool-interactions.ts";
import { corpusIn, readDirectory } from "./directory.ts";
import { FILES } from "./directory-paths.ts";
import { AutobyteusStore } from "./store.ts";
import { bytesIn, inFolder, inFolderFor, testHost, timesIn } from "./testing-directory.ts";

const USER = "LLMUserMessageReadyEvent";
const CALL = "PendingToolInvocationEvent";
const SAID = "LLMCompleteResponseReceivedEvent";

type Part = readonly [id: string, ts: number, type: string, source: string, more?: object];

/** The lines of one turn. */
const linesOf = (turnId: string, parts: readonly Part[]): string =>
  parts
    .map(([id, ts, trace_type, source_event, more], at) =>
      JSON.stringify({ id, ts, turn_id: turnId, seq: at + 1, trace_type, content: "", source_event, ...more }),
    )
    .map((line) => `${line}\n`)
    .join("");

const WRITE = { tool_name: "write_file", tool_call_id: "7001", tool_args: { path: "n.txt", content: "Ahoy." } };
const NO_MEDIA = { images: [], audio: [], video: [] };
const FIRST = linesOf("turn_0001", [
  ["rt_1771000000100", 1_771_000_000.1, "user", USER, { content: "Write it", media: NO_MEDIA, tags: ["processed"] }],
  ["rt_1771000001200", 1_771_000_001.2, "tool_call", CALL, WRITE],
  ["rt_1771000001200", 1_771_000_001.2, "assistant", SAID, { tags: ["final"] }],
  ["rt_1771000001300", 1_771_000_001.3, "tool_result", "ToolResultEvent", { ...WRITE, tool_result: "Written" }],
  ["rt_1771000002500", 1_771_000_002.5, "assistant", SAID, { content: "Done.", tags: ["final"] }],
]);

const withTraces = (text: string, work: (path: string) => Promise<void>): Promise<void> =>
  inFolderFor(async (base) => {
    const path = join(base, "agents", "one");
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, FILES.rawTraces), text);
    await work(path);
  });

test("a turn of which a call and what was said have one id is read whole, and the folder stays as it was", async () => {
  for (const count of [5, 3])
    await withTraces(FIRST.split("\n").slice(0, count).join("\n") + "\n", async (path) => {
      const [bytes, times] = [bytesIn(path), timesIn(path)];
      const store = new AutobyteusStore(path, { host: testHost() });
      expect(store.generation).toBe(1);
      expect(store.listTraces()).toHaveLength(count);
      expect(store.corpus().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5].slice(0, count));
      expect(new Set(store.corpus().map(({ id }) => id)).size).toBe(count - 1);
      store.close();
      expect(bytesIn(path)).toEqual(bytes);
      expect(timesIn(path)).toEqual(times);
    });
});

test("a message that an agent is sent next begins the second turn, behind the bytes that were there", () =>
  withTraces(FIRST, async (path) => {
    const store = new AutobyteusStore(path, { host: testHost() });
    const memory = MemoryManager.open({ store, host: testHost(), agentId: "one" });
    const turn = memory.startTurn();
    await memory.ingestUserMessage("And now?", turn);
    store.close();
    const text = readFileSync(join(path, FILES.rawTraces), "utf8");
    expect(turn).toBe("turn_0002");
    expect(text.startsWith(FIRST)).toBe(true);
    expect(JSON.parse(text.slice(FIRST.length))).toMatchObject({ turn_id: "turn_0002", seq: 1, tags: ["processed"] });
  }));

test("a file that Python wrote keeps its spaces, escapes and floats when a record is appended", () => {
  const line =
    '{"id": "rt_1770923021000", "ts": 1770923021.0, "turn_id": "turn_0001", "seq": 1, "trace_type": "user", ' +
    '"content": "caf\\u00e9 \\ud83d\\udea2", "source_event": "LLMUserMessageReadyEvent", "tags": ["processed"]}\n';
  return withTraces(line, async (path) => {
    const store = new AutobyteusStore(path, { host: testHost() });
    expect(store.listTraces()[0]).toMatchObject({ content: "café 🚢", ts: 1_770_923_021 });
    store.add([{ ...store.listTraces()[0]!, id: "rt_2", seq: 2 }]);
    store.close();
    expect(readFileSync(join(path, FILES.rawTraces), "utf8")).toBe(
      `${line}{"id":"rt_2","ts":1770923021,"turn_id":"turn_0001","seq":2,"trace_type":"user","content":"café 🚢",` +
        `"source_event":"LLMUserMessageReadyEvent","tags":["processed"]}\n`,
    );
  });
});

const UUID = "0198aaaa-1111-7222-8333-444455556666";
const tool = (name: string, callId: string, args: object) => ({
  tool_name: name,
  tool_call_id: callId,
  tool_args: args,
});

/** A tool that failed, twice; three agents and runtimes that used one; one that used none. */
const SECOND: readonly string[] = [
  ...["a", "b"].map((at) =>
    linesOf(UUID, [
      [`rt_1780000000000_${UUID}`, 1_780_000_000, "user", "AgentRun.postUserMessage", { content: "Draw" }],
      [
        `rt_1780000001000_${UUID}${at}`,
        1_780_000_001,
        "tool_call",
        "TOOL_EXECUTION_STARTED",
        tool("generate_image", `call_${at}`, {}),
      ],
      [
        `rt_1780000002000_${UUID}${at}`,
        1_780_000_002,
        "tool_result",
        "TOOL_EXECUTION_FAILED",
        { ...tool("generate_image", `call_${at}`, {}), tool_error: "Tool execution failed." },
      ],
      [`rt_1780000003000_${UUID}`, 1_780_000_003, "reasoning", "TURN_COMPLETED", { content: "It failed." }],
    ]),
  ),
  linesOf(UUID, [
    [
      `rt_1780000001000_${UUID}`,
      1_780_000_001,
      "tool_call",
      "TOOL_EXECUTION_STARTED",
      tool("speak", "call_s", { text: "Hi" }),
    ],
    [
      `rt_1780000002000_${UUID}s`,
      1_780_000_002,
      "tool_result",
      "TOOL_EXECUTION_SUCCEEDED",
      {
        ...tool("speak", "call_s", { text: "Hi" }),
        tool_result: {
          content: [{ type: "text", text: "spoken" }],
          structuredContent: { file: "hi.wav" },
          _meta: null,
        },
      },
    ],
    [`rt_1780000003000_${UUID}`, 1_780_000_003, "assistant", "SEGMENT_END", { content: "Spoken." }],
  ]),
  linesOf(UUID, [
    [
      `rt_1780000001000_toolu_1`,
      1_780_000_001,
      "tool_call",
      "TOOL_EXECUTION_STARTED",
      tool("Write", "toolu_1", { path: "a" }),
    ],
    [
      `rt_1780000002000_toolu_1`,
      1_780_000_002,
      "tool_result",
      "TOOL_EXECUTION_SUCCEEDED",
      { ...tool("Write", "toolu_1", { path: "b" }), tool_result: "ok" },
    ],
  ]),
  ...["pwd", "ls"].map((command) =>
    linesOf("turn_0001", [
      ["rt_1780000000000", 1_780_000_000, "user", USER, { content: "Look", media: NO_MEDIA }],
      ["rt_1780000001000_call_r", 1_780_000_001, "tool_call", CALL, tool("run_bash", "call_r", { command })],
      ["rt_1780000001001", 1_780_000_001.001, "assistant", SAID],
      [
        "rt_1780000002000_call_r",
        1_780_000_002,
        "tool_result",
        "native_api_ordered_batch",
        { ...tool("run_bash", "call_r", { command }), tool_result: { stdout: command, exitCode: 0 } },
      ],
      ["rt_1780000003000_tool_continuation", 1_780_000_003, "tool_continuation", "ToolContinuationReadyEvent"],
    ]),
  ),
  linesOf(UUID, [
    [`rt_1780000000000_${UUID}`, 1_780_000_000, "user", "AgentRun.postUserMessage", { content: "Hello" }],
    [`rt_1780000001000_${UUID}`, 1_780_000_001, "assistant", "SEGMENT_END", { content: "Hi." }],
  ]),
];

test("turns of every runtime of the second generation are read, their calls paired, arguments taken from the call", async () => {
  const types = new Set<string>();
  const found: string[] = [];
  const results: unknown[] = [];
  for (const text of SECOND)
    await withTraces(text, async (path) => {
      const store = new AutobyteusStore(path, { host: testHost() });
      expect([store.generation, store.directory.problems]).toEqual([2, []]);
      for (const { traceType, turnId } of store.listTraces()) {
        types.add(traceType);
        expect([UUID, "turn_0001"]).toContain(turnId);
      }
      const memory = new MemoryManager({ store, host: testHost() });
      for (const one of memory.getToolInteractions()) {
        found.push(`${one.toolName} ${one.status} ${one.error ?? JSON.stringify(one.arguments)}`);
        results.push(one.result);
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
  expect(found).toEqual([
    "generate_image error Tool execution failed.",
    "generate_image error Tool execution failed.",
    'speak success {"text":"Hi"}',
    'Write success {"path":"a"}',
    'run_bash success {"command":"pwd"}',
    'run_bash success {"command":"ls"}',
  ]);
  expect(results[2]).toEqual({
    content: [{ type: "text", text: "spoken" }],
    structuredContent: { file: "hi.wav" },
    _meta: null,
  });
});

test("a call and its result without an id are read, and paired by their order", () => {
  const line = (seq: number, type: string, more: object): string =>
    `${JSON.stringify({ id: `rt_${seq}`, ts: seq, turn_id: "turn_0001", seq, trace_type: type, content: "", source_event: "e", tags: [], ...more })}\n`;
  inFolder((path) => {
    writeFileSync(
      join(path, FILES.rawTraces),
      line(1, "tool_call", { tool_name: "ls", tool_args: { path: "." } }) +
        line(2, "tool_result", { tool_name: "ls", tool_result: "a" }),
    );
    const found = readDirectory(path);
    expect(corpusIn(found)).toHaveLength(2);
    expect(buildToolInteractions(found.traces)).toMatchObject([
      { pairing: "positional", status: "success", arguments: { path: "." }, result: "a" },
    ]);
  });
});
