// Printed sessions: calls with their usage, sub-agents, the agent's own sums; and that a session with a file of its own is read from there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isDocument, type Draft, type Format } from "#lib/kernel/draft.ts";
import { codexExec } from "./codex-exec.ts";
import { streamJson } from "./stream-json.ts";

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, "fixtures", name));

function read<S>(format: typeof streamJson | typeof codexExec, bytes: Buffer): { drafts: Draft[]; state: S } {
  const file = { path: "/out.jsonl", head: bytes, sidecars: new Map<string, string>() };
  const state = format.start(file) as never;
  const records = isDocument(format as Format, file) ? [bytes] : bytes.toString().split("\n").filter(Boolean);
  const drafts = records.flatMap((record, i) =>
    format.parse({ bytes: Buffer.from(record), byteStart: 0, byteEnd: record.length, line: i + 1 }, state),
  );
  return { drafts, state: state as S };
}

const bodies = (drafts: readonly Draft[], lane = "") =>
  drafts.flatMap((draft) => (draft.kind === "event" && draft.lane === lane ? [draft.body] : []));
const callsOf = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "call" ? [draft] : []));
const reportedOf = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "reported" ? [draft] : []));

describe("Claude Code", () => {
  const { drafts } = read(streamJson, fixture("stream-json-synthetic-session.jsonl"));

  test("an answer's count is that of its start, until what it was charged is printed", () => {
    const first = callsOf(drafts).filter(({ key }) => key === "msg_s1:req_s1");
    expect(first.map(({ usage, outputLowerBound }) => [usage?.output, outputLowerBound])).toEqual([
      [1, true],
      [1, true],
      [31, false],
    ]);
    expect(first[0]!.usage).toMatchObject({ inputUncached: 4, cacheWrite: 120, cacheWrite1h: 120 });
  });

  test("a sub-agent is named by the call that started it, and has its own prompt", () => {
    expect(drafts).toContainEqual({ kind: "link", lane: "", toolCallId: "toolu_s2", agentId: "toolu_s2" });
    expect(bodies(drafts, "toolu_s2").map(({ type }) => type)).toEqual([
      "user",
      "tool_call",
      "tool_result",
      "assistant",
    ]);
    expect(bodies(drafts).find((body) => body.type === "tool_result" && body.toolCallId === "toolu_s2")).toMatchObject({
      detail: { agentId: "a001" },
    });
  });

  test("a compaction, its summary, and the sums of the agent", () => {
    expect(bodies(drafts).find(({ type }) => type === "compaction")).toMatchObject({
      trigger: "auto",
      tokensBefore: 9000,
      tokensAfter: 400,
    });
    expect(bodies(drafts)).toContainEqual(expect.objectContaining({ type: "user", injected: "summary" }));
    expect(reportedOf(drafts)).toMatchObject([
      { usd: 0.0123, usage: { "claude-opus-5": { inputUncached: 20, cacheRead: 520, cacheWrite: 370, output: 60 } } },
    ]);
  });

  test("all records in one list are the same as lines, also where the list was cut off", () => {
    const list = fixture("stream-json-synthetic-list.json");
    const lines = Buffer.from((JSON.parse(list.toString()) as unknown[]).map((one) => JSON.stringify(one)).join("\n"));
    expect(bodies(read(streamJson, list).drafts)).toEqual(bodies(read(streamJson, lines).drafts));
    const cut = read(streamJson, list.subarray(0, list.length - 200)).drafts;
    expect(bodies(cut).map(({ type }) => type)).toEqual(["meta", "assistant"]);
    expect(cut.filter(({ kind }) => kind === "problem")).toHaveLength(1);
  });

  test("a file that was appended to holds several sessions", () => {
    const both = Buffer.concat([
      fixture("stream-json-synthetic-session.jsonl"),
      Buffer.from(
        (JSON.parse(fixture("stream-json-synthetic-list.json").toString()) as unknown[])
          .map((one) => `${JSON.stringify(one)}\n`)
          .join(""),
      ),
    ]);
    const lane = "7e570000-0000-4000-8000-00000000a003";
    expect(bodies(read(streamJson, both).drafts, lane).map(({ type }) => type)).toEqual(["meta", "assistant", "meta"]);
  });
});

test("an answer that is printed without usage is a call whose tokens are not known", () => {
  const line = (more: object): string => JSON.stringify({ session_id: "s1", ...more });
  const message = { id: "msg_1", model: "claude-opus-5", role: "assistant", content: [{ type: "text", text: "x" }] };
  const text = [line({ type: "system", subtype: "init", cwd: "/r" }), line({ type: "assistant", message })].join("\n");
  expect(callsOf(read(streamJson, Buffer.from(text)).drafts)).toMatchObject([{ model: "claude-opus-5", usage: null }]);
});

test("Qwen Code counts what was cached as input, and its session has the name of its own file", () => {
  const { drafts, state } = read(streamJson, fixture("stream-json-synthetic-qwen.jsonl"));
  expect(streamJson.owner!(state as never)).toBe("qwen");
  expect(callsOf(drafts).map(({ usage }) => [usage?.inputUncached, usage?.cacheRead, usage?.output])).toEqual([
    [50, 40, 12],
    [20, 100, 2],
  ]);
  expect(bodies(drafts).at(-1)).toMatchObject({ type: "error", text: "Too many turns." });
});

test("Cursor prints calls by the name of the tool, and what they gave back", () => {
  const { drafts, state } = read(streamJson, fixture("stream-json-synthetic-cursor.jsonl"));
  expect(streamJson.owner!(state as never)).toBe("stream-json");
  const tools = bodies(drafts).flatMap((body) =>
    body.type === "tool_call" ? [body.toolName] : body.type === "tool_result" ? [`${body.text} ${body.isError}`] : [],
  );
  expect(tools).toEqual(["read", "north false", "shell", " true"]);
});

test("Cursor's calls are known by what they are, whatever stands beside and before them", () => {
  const id = { session_id: "s1" };
  const line = (subtype: string, call: object, n: number): string =>
    JSON.stringify({ type: "tool_call", subtype, call_id: `c${n}`, tool_call: call, ...id });
  const [args, beside] = [{ command: "false" }, { trace: { id: "t1" } }];
  const results = [
    { failure: { exitCode: 1, stdout: "" } },
    { timing: { ms: 4 }, error: { errorMessage: "No shell." } },
    { timeout: { timeoutMs: 9 } },
    { permissionDenied: { error: "No." } },
    { timing: { ms: 4 }, success: { stdout: "fine", stderr: "" } },
  ];
  const lines = [
    JSON.stringify({ type: "system", subtype: "init", model: "Composer", ...id }),
    ...results.flatMap((result, n) => [
      line("started", { ...beside, shellToolCall: { args } }, n),
      line("completed", { ...beside, shellToolCall: { args, result } }, n),
    ]),
  ];
  const { drafts } = read(streamJson, Buffer.from(lines.join("\n")));
  const told = bodies(drafts).flatMap((body): (string | boolean)[] =>
    body.type === "tool_call" ? [body.toolName] : body.type === "tool_result" ? [body.isError] : [],
  );
  expect(told).toEqual(["shell", true, "shell", true, "shell", true, "shell", true, "shell", false]);
});

test("a run of Droid's that failed is an error", () => {
  const end = { type: "completion", finalText: "No credits.", isError: true, session_id: "7e57-a006" };
  const text = fixture("stream-json-synthetic-droid.jsonl").toString();
  const { drafts } = read(
    streamJson,
    Buffer.from(`${text.trimEnd()}\n${JSON.stringify({ ...end, timestamp: 1772442007000 })}\n`),
  );
  expect(drafts).toContainEqual(
    expect.objectContaining({ body: { type: "error", text: "No credits.", code: "completion" } }),
  );
});

test("Droid prints each text and call by itself: a thought once, the sums at the end, under the name of its own file", () => {
  const { drafts, state } = read(streamJson, fixture("stream-json-synthetic-droid.jsonl"));
  expect(streamJson.owner!(state as never)).toBe("droid");
  expect(streamJson.identify(state as never)).toBe("7e570000-0000-4000-8000-00000000a005");
  expect(bodies(drafts).map(({ type }) => type)).toEqual([
    ...["meta", "user", "reasoning", "assistant", "tool_call", "tool_result"],
    ...["tool_call", "tool_result", "assistant", "meta"],
  ]);
  expect(callsOf(drafts)).toHaveLength(3);
  // Its records have their time in milliseconds.
  const prompt = drafts.find((draft) => draft.kind === "event" && draft.body.type === "user");
  expect(prompt).toMatchObject({ ts: 1_772_442_000_000 });
  expect(reportedOf(drafts)).toMatchObject([
    {
      usage: {
        "claude-sonnet-4-5": { inputUncached: 120, cacheRead: 2000, cacheWrite: 300, output: 45, reasoning: 12 },
      },
    },
  ]);
});

test("Gemini CLI prints an answer in pieces; its total has the thoughts", () => {
  const { drafts, state } = read(streamJson, fixture("stream-json-synthetic-gemini.jsonl"));
  expect(streamJson.owner!(state as never)).toBe("gemini");
  expect(bodies(drafts).flatMap((body) => (body.type === "assistant" ? [body.text] : []))).toEqual([
    ...["I read ", "the chart.", "Nine metres."],
  ]);
  expect(callsOf(drafts)).toHaveLength(2);
  expect(bodies(drafts).flatMap((body) => (body.type === "tool_result" ? [[body.text, body.isError]] : []))).toEqual([
    ["basin 9 m", false],
    ["File not found.", true],
  ]);
  expect(reportedOf(drafts)).toMatchObject([
    { usage: { "gemini-2.5-pro": { inputUncached: 3500, cacheRead: 1500, output: 200, reasoning: 60 } } },
  ]);
});

describe("codex exec", () => {
  const { drafts, state } = read(codexExec, fixture("codex-exec-synthetic-session.jsonl"));

  test("an item is a call when it starts and a result when it is done; each run numbers its own", () => {
    const tools = bodies(drafts).flatMap((body) =>
      body.type === "tool_call" || body.type === "tool_result" ? [`${body.type} ${body.toolCallId}`] : [],
    );
    expect(tools).toEqual([
      "tool_call item_1",
      "tool_result item_1",
      "tool_call item_2",
      "tool_result item_2",
      "tool_call item_3",
      "tool_result item_3",
      "tool_call item_5",
      "tool_call item_6",
      "tool_result item_6",
      "tool_call 2.item_1",
      "tool_result 2.item_1",
    ]);
    expect(bodies(drafts).filter((body) => body.type === "tool_result" && body.isError)).toHaveLength(2);
    expect(bodies(drafts).findLast(({ type }) => type === "tool_result")).toMatchObject({
      detail: { agentId: "019a0000-0000-7000-8000-00000000c0df" },
    });
  });

  test("tokens are the thread's sum so far, under the name of its rollout", () => {
    expect(reportedOf(drafts)).toMatchObject([
      { usd: null, usage: { "": { inputUncached: 315, cacheRead: 24448, output: 122, reasoning: 64 } } },
    ]);
    expect(codexExec.owner!(state as never)).toBe("codex");
    expect(codexExec.identify(state as never)).toBe("019a0000-0000-7000-8000-00000000c0de");
  });
});
