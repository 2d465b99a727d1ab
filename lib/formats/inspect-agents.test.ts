// Logs of Inspect from 2026: spans of tools and agents, what the provider ran itself, usage as Google counts it. All synthetic.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NO_USAGE, type Draft } from "#lib/kernel/draft.ts";
import { inspect } from "./inspect-format.ts";

function read(events: readonly object[], more: object = {}): Draft[] {
  const sample = { id: "a", epoch: 1, uuid: "u", input: "Count.", target: "", messages: [], events, ...more };
  const bytes = Buffer.from(JSON.stringify(sample));
  const state = inspect.start({ path: "/logs/x.eval#samples/a_epoch_1.json", head: bytes, sidecars: new Map() });
  return inspect.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
}

let clock = 0;
const at = () => `2026-10-01T10:00:${String(++clock).padStart(2, "0")}+00:00`;
const span = (id: string, parent_id: string | null, type: string, name = id) => ({
  ...{ event: "span_begin", id, span_id: id, parent_id, type, name, timestamp: at() },
});
const asks = (id: string) => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id, function: "dive", arguments: {} }],
});
const says = (content: unknown) => ({ role: "assistant", content });
const model = (span_id: string, message: object, input: readonly object[], usage: object = { input_tokens: 1 }) => ({
  ...{ event: "model", uuid: `m${++clock}`, span_id, timestamp: at(), model: "reef/coral-1", input },
  output: { choices: [{ message }], usage },
});
const tool = (uuid: string, span_id: string, id: string, more: object = {}) => ({
  ...{ event: "tool", uuid, span_id, id, function: "dive", arguments: {}, result: "Deep.", timestamp: at(), ...more },
});
const prompt = { role: "user", content: "Count." };
const order = { role: "user", content: "Dive." };

const linksOf = (drafts: readonly Draft[]) => drafts.filter(({ kind }) => kind === "link");
const callsOf = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "call" ? [draft] : []));
const lanesOf = (drafts: readonly Draft[]) => callsOf(drafts).map(({ lane }) => lane);
const bodiesOf = (drafts: readonly Draft[], lane = "") =>
  drafts.flatMap((draft) => (draft.kind === "event" && draft.lane === lane ? [draft.body] : []));

test("an agent in the span of a tool's call is below that call", () => {
  for (const more of [{}, { agent: "diver", agent_span_id: "diver" }]) {
    const drafts = read([
      span("main", null, "agent"),
      model("main", asks("t1"), [prompt]),
      span("s1", "main", "tool", "dive"),
      tool("e1", "s1", "t1", more),
      span("diver", "s1", "agent"),
      model("diver", says("Sand."), [order]),
      model("main", says("Seven."), [prompt]),
    ]);
    expect(linksOf(drafts)).toEqual([{ kind: "link", lane: "", toolCallId: "t1", agentId: "diver" }]);
    expect(lanesOf(drafts)).toEqual(["", "diver", ""]);
    expect(bodiesOf(drafts).map(({ type }) => type)).toEqual(["user", "tool_call", "tool_result", "assistant"]);
    expect(bodiesOf(drafts, "diver").map(({ type }) => type)).toEqual(["user", "assistant"]);
  }
});

test("a tool's event that stands inside of its agent belongs to the one that called it", () => {
  const drafts = read([
    span("main", null, "agent"),
    model("main", asks("t1"), [prompt]),
    span("diver", "main", "agent"),
    tool("e1", "diver", "t1", { agent_span_id: "diver" }),
    model("diver", says("Sand."), [order]),
  ]);
  expect(linksOf(drafts)).toEqual([{ kind: "link", lane: "", toolCallId: "t1", agentId: "diver" }]);
  expect(bodiesOf(drafts).map(({ type }) => type)).toEqual(["user", "tool_call", "tool_result"]);
});

test("a model that a tool called itself is the tool's own agent", () => {
  const drafts = read([
    model("outer", asks("t1"), [prompt]),
    span("s1", null, "tool", "dive"),
    tool("e1", "s1", "t1"),
    model("s1", says("Sand."), [order]),
    model("outer", says("Seven."), [prompt]),
  ]);
  expect(lanesOf(drafts)).toEqual(["", "", ""]);
  const within = read([
    span("main", null, "agent"),
    model("main", asks("t1"), [prompt]),
    span("s1", "main", "tool", "dive"),
    tool("e1", "s1", "t1"),
    model("s1", says("Sand."), [order]),
  ]);
  expect(lanesOf(within)).toEqual(["", "s1"]);
  expect(linksOf(within)).toEqual([{ kind: "link", lane: "", toolCallId: "t1", agentId: "s1" }]);
});

test("a call that the provider ran has its input, its result and its error", () => {
  const ran = { type: "tool_use", tool_type: "web_search", id: "w1", name: "web_search", arguments: '{"q":"reef"}' };
  const parts = [
    { ...ran, result: "Two pages.", error: null },
    { ...ran, id: "w2", result: "", error: "No net." },
    { type: "text", text: "Seven." },
  ];
  const drafts = read([model("main", says(parts), [prompt]), model("main", says("Eight."), [prompt, says(parts)])]);
  expect(bodiesOf(drafts)).toMatchObject([
    { type: "user" },
    { type: "tool_call", toolCallId: "w1", toolName: "web_search", input: { q: "reef" } },
    { type: "tool_result", toolCallId: "w1", text: "Two pages.", isError: false },
    { type: "tool_call", toolCallId: "w2" },
    { type: "tool_result", toolCallId: "w2", text: "No net.", isError: true },
    { type: "assistant", text: "Seven." },
    { type: "assistant", text: "Eight." },
  ]);
});

test("of reasoning that only the provider can read the summary is shown", () => {
  const thought = (more: object) => ({ type: "reasoning", reasoning: "gAAAsealed", ...more });
  const said = says([thought({ redacted: true, summary: "Count twice." }), { type: "text", text: "Seven." }]);
  const sealed = says([thought({ redacted: true, summary: null }), { type: "text", text: "Eight." }]);
  const drafts = read([model("main", said, [prompt]), model("main", sealed, [prompt, said])]);
  expect(bodiesOf(drafts).filter(({ type }) => type === "reasoning")).toMatchObject([{ text: "Count twice." }]);
});

test("the total of a call decides what is beside its input and its output", () => {
  const counts = (input: number, output: number, total: number, more: object = {}) => ({
    ...{ input_tokens: input, output_tokens: output, total_tokens: total, ...more },
  });
  const usageOf = (usage: object) => callsOf(read([model("main", says("Seven."), [prompt], usage)]))[0]?.usage;
  const cached = { input_tokens_cache_read: 30 };
  const thought = { reasoning_tokens: 7 };
  // Anthropic, OpenAI in older logs, Google with and without a cache, Google with a tool's prompt of 4.
  expect(usageOf(counts(10, 5, 45, cached))).toEqual({ ...NO_USAGE, inputUncached: 10, cacheRead: 30, output: 5 });
  const inside = { ...NO_USAGE, inputUncached: 10, cacheRead: 30, output: 15, reasoning: 7 };
  expect(usageOf(counts(40, 15, 55, { ...cached, ...thought }))).toEqual(inside);
  const apart = { ...NO_USAGE, inputUncached: 10, cacheRead: 30, output: 12, reasoning: 7 };
  expect(usageOf(counts(10, 5, 52, { ...cached, ...thought }))).toEqual(apart);
  expect(usageOf(counts(10, 5, 22, thought))).toEqual({ ...apart, cacheRead: 0 });
  expect(usageOf(counts(10, 5, 56, { ...cached, ...thought }))).toEqual(apart);
});

test("attempts that failed before are said", () => {
  const error_retries = [{ message: "No air.", traceback: "…", traceback_ansi: "…" }];
  const drafts = read([model("main", says("Seven."), [prompt])], { error_retries });
  expect(bodiesOf(drafts).at(-1)).toEqual({
    type: "meta",
    subtype: "retry",
    text: "An attempt before failed: No air.",
  });
});

test("a sample in chunks is one session with its sums, and says that its events are not read", () => {
  const shell = {
    ...{ id: "a", epoch: 1, uuid: "u", input: "Count.", target: "", message_refs: [[0, 2]] },
    model_usage: { "reef/coral-1": { input_tokens: 10, output_tokens: 2, total_tokens: 12 } },
  };
  const bytes = Buffer.from(JSON.stringify(shell));
  const path = "/logs/x.eval#samples/a_epoch_1/sample.json";
  const file = { path, head: bytes, sidecars: new Map() };
  expect(inspect.detect(file)).toBe(true);
  expect(inspect.sidecars?.(path)).toContain("/logs/x.eval#header.json");
  const drafts = inspect.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, inspect.start(file));
  expect(callsOf(drafts)).toMatchObject([{ model: "reef/coral-1", usage: { inputUncached: 10, output: 2 } }]);
  expect(bodiesOf(drafts).at(-1)).toMatchObject({ type: "meta", subtype: "chunks" });
  for (const part of ["messages/0.json", "events/1000.json", "events/stats.json", "skeleton.json", "metadata.json"])
    expect(inspect.isPart?.(path.replace("sample.json", part))).toBe(true);
  expect(inspect.isPart?.(path)).toBe(false);
});

test("a sample with an agent, a sub-agent and a compaction: its calls are the sums that it names", () => {
  const bytes = readFileSync(join(import.meta.dirname, "fixtures/inspect-synthetic-agents.json"));
  const file = { path: "/logs/x.eval#samples/reef-1_epoch_1.json", head: bytes, sidecars: new Map<string, string>() };
  const drafts = inspect.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, inspect.start(file));
  const usages = callsOf(drafts).flatMap(({ usage }) => usage ?? []);
  const sum = (field: "inputUncached" | "cacheRead" | "output") =>
    usages.reduce((total, usage) => total + usage[field], 0);
  expect([usages.length, sum("inputUncached"), sum("cacheRead"), sum("output")]).toEqual([3, 70, 60, 21]);
  expect(bodiesOf(drafts).map(({ type }) => type)).toEqual([
    ...["system", "user", "tool_call", "tool_result", "compaction", "user", "assistant"],
  ]);
  expect(linksOf(drafts)).toEqual([{ kind: "link", lane: "", toolCallId: "call_1", agentId: "diver-1" }]);
});
