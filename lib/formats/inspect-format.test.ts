// Samples of Inspect's logs: usage by call, tools, pooled messages and attachments, logs without events.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { inspect } from "./inspect-format.ts";

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, "fixtures", name));
function read(bytes: Buffer, sidecars: ReadonlyMap<string, string> = new Map()) {
  const state = inspect.start({ path: "/logs/x.eval#samples/1_epoch_1.json", head: bytes, sidecars });
  const drafts = inspect.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  return { drafts, state };
}
const bodiesOf = (drafts: readonly Draft[], lane = "") =>
  drafts.flatMap((draft) => (draft.kind === "event" && draft.lane === lane ? [draft.body] : []));

test("a sample has its prompt, each message once, and the usage of each call", () => {
  const { drafts, state } = read(fixture("inspect-synthetic-sample.json"));
  expect(state.id).toBe("synthetic-sample-1");
  expect(bodiesOf(drafts).map(({ type }) => type)).toEqual([
    ...["meta", "system", "user", "reasoning", "assistant", "tool_call", "tool_result", "assistant", "meta"],
  ]);
  expect(bodiesOf(drafts)[2]).toMatchObject({ text: "When is high water on Monday?" });
  const usages = drafts.flatMap((draft) => (draft.kind === "call" ? [draft.usage] : []));
  expect(usages).toMatchObject([
    { inputUncached: 40, cacheRead: 100, cacheWrite: 20, output: 12 },
    { inputUncached: 10, cacheRead: 160, cacheWrite: 0, output: 6 },
  ]);
});

test("a log has a session for each sample, with the sums of one that has no events", () => {
  const { drafts, state } = read(fixture("inspect-synthetic-log.json"));
  expect(state.id).toBe("synthetic-sample-3");
  const lane = "tide-2/2/1";
  expect(bodiesOf(drafts, lane).map(({ type }) => type)).toEqual(["user", "assistant", "error"]);
  const call = drafts.find((draft) => draft.kind === "call" && draft.lane === lane);
  expect(call).toMatchObject({ usage: { inputUncached: 9, output: 3 } });
  const titles = drafts.flatMap((draft) => (draft.kind === "session" ? (draft.patch.title ?? []) : []));
  expect(titles).toContain("tides: tide-2 (epoch 2)");
});

test("the header beside a sample names its task; NaN is read; a log without samples is a session", () => {
  const header = JSON.stringify({ eval: { task: "tides", eval_id: "e" } });
  const text = fixture("inspect-synthetic-sample.json").toString().replace('"value": "C"', '"value": NaN');
  const { drafts } = read(Buffer.from(text), new Map([["/logs/x.eval#header.json", header]]));
  expect(drafts[0]).toMatchObject({ patch: { title: "tides: tide-1", agentName: "tides" } });
  const empty = read(
    Buffer.from(JSON.stringify({ version: 2, status: "cancelled", eval: { eval_id: "e" }, samples: [] })),
  );
  expect(bodiesOf(empty.drafts)).toMatchObject([{ type: "meta", text: "Status cancelled. The log has no samples." }]);
});

test("samples without ids of their events share no record and no call", () => {
  const sample = (id: string) => ({
    ...{ id, epoch: 1, input: id, target: "", messages: [] },
    events: [{ event: "model", model: "m", input: [{ role: "user", content: id }], output: { usage: usageOf(9) } }],
  });
  const old = (id: string) => ({
    ...{ id, epoch: 1, input: id, target: "", model_usage: { m: usageOf(5) } },
    messages: [
      { role: "user", content: id },
      { role: "assistant", content: "Yes." },
    ],
  });
  const samples = [sample("a"), sample("b"), old("c"), old("d")];
  const log = { version: 2, status: "success", eval: { eval_id: "e", task: "t" }, samples };
  const { drafts } = read(Buffer.from(JSON.stringify(log)));
  const calls = drafts.flatMap((draft) => (draft.kind === "call" ? [draft] : []));
  expect(calls.map(({ usage }) => usage?.inputUncached)).toEqual([9, 9, 5, 5]);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(4);
  const records = drafts.flatMap((draft) => (draft.kind === "event" && draft.recordKey !== null ? [draft] : []));
  const lanes = Map.groupBy(records, ({ recordKey }) => recordKey);
  expect(lanes.size).toBeGreaterThan(4);
  for (const events of lanes.values()) expect(new Set(events.map(({ lane }) => lane)).size).toBe(1);
});

test("a sample that is damaged takes no other with it", () => {
  const log = fixture("inspect-synthetic-log.json").toString();
  const { drafts, state } = read(Buffer.from(log.replace('"epoch": 1,', '"epoch": 1 1,')));
  expect(drafts.filter(({ kind }) => kind === "problem")).toMatchObject([{ reason: "The sample is not JSON." }]);
  expect(state.id).toBe("synthetic-eval/tide-2/2");
  expect(bodiesOf(drafts).map(({ type }) => type)).toEqual(["user", "assistant", "error"]);
});

const callsOf = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "call" ? [draft] : []));
const logOf = (sample: object): Buffer =>
  Buffer.from(
    JSON.stringify({
      ...{ version: 2, status: "success", eval: { eval_id: "e", task: "t", model: "reef/coral-1" } },
      samples: [{ id: "a", epoch: 1, uuid: "u", input: "Count.", target: "", ...sample }],
    }),
  );
const modelEvent = (input: number, text: string, second: number, more: object = {}) => ({
  ...{ event: "model", model: "reef/coral-1", timestamp: `2026-02-01T10:00:0${second}+00:00` },
  input: [{ role: "user", content: "Count." }],
  output: { choices: [{ message: { role: "assistant", content: text } }], usage: usageOf(input) },
  ...more,
});

test("calls inside of tools and subtasks are calls of their own, whatever their number in the list", () => {
  const tool = { event: "tool", id: "t1", function: "dive", arguments: {}, result: "Deep.", error: null };
  const events = [
    modelEvent(10, "one", 1),
    { ...tool, events: [modelEvent(20, "two", 2), modelEvent(30, "three", 3)] },
    modelEvent(40, "four", 4),
    {
      event: "subtask",
      events: [modelEvent(50, "five", 5), { ...tool, id: "t2", events: [modelEvent(60, "six", 6)] }],
    },
  ];
  const { drafts } = read(logOf({ messages: [], events }));
  const calls = callsOf(drafts);
  expect(calls.map(({ usage }) => usage?.inputUncached)).toEqual([10, 20, 30, 40, 50, 60]);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(6);
});

test("an answer from Inspect's cache is said, and is no call", () => {
  const events = [
    modelEvent(10, "Seven.", 1, { cache: "write" }),
    modelEvent(90, "Eight.", 2, { cache: "read" }),
    modelEvent(20, "Nine.", 3),
  ];
  const { drafts } = read(logOf({ messages: [], events, model_usage: { "reef/coral-1": usageOf(30) } }));
  expect(callsOf(drafts).map(({ usage }) => usage?.inputUncached)).toEqual([10, 20]);
  expect(bodiesOf(drafts)).toMatchObject([
    ...[{ type: "user" }, { type: "assistant", text: "Seven." }, { type: "assistant", text: "Eight." }],
    ...[
      { type: "meta", text: "The answer is from Inspect's cache." },
      { type: "assistant", text: "Nine." },
    ],
  ]);
  const said = drafts.flatMap((draft) => (draft.kind === "event" && draft.body.type === "assistant" ? [draft] : []));
  expect(said.map(({ callKey }) => callKey !== null)).toEqual([true, false, true]);
  const names = drafts.flatMap((draft) => (draft.kind === "event" ? [draft.recordKey] : []));
  expect(new Set(names).size).toBe(names.length);
});

const dive = [
  { role: "user", content: "Dive." },
  { role: "assistant", content: "", tool_calls: [{ id: "t1", function: "dive", arguments: {} }] },
];
const surfaced = { role: "tool", tool_call_id: "t1", function: "dive", content: "No air." };
const error = { type: "timeout", message: "Too long." };

test("without events the last result is read, and an error of a tool's message is one", () => {
  const { drafts } = read(logOf({ messages: [...dive, surfaced] }));
  expect(bodiesOf(drafts)).toMatchObject([
    ...[{ type: "user" }, { type: "tool_call", toolCallId: "t1" }],
    { type: "tool_result", toolCallId: "t1", text: "No air.", isError: false },
  ]);
  expect(callsOf(drafts)).toHaveLength(1);
  const ends = [[], [{ role: "assistant", content: "Up." }]];
  for (const end of ends) {
    const failed = read(logOf({ messages: [...dive, { ...surfaced, error }, ...end] }));
    expect(bodiesOf(failed.drafts)[2]).toMatchObject({ type: "tool_result", text: "No air.", isError: true });
  }
  const sent = { input: [...dive, { ...surfaced, error }] };
  const events = [modelEvent(10, "Up.", 1, sent)];
  expect(bodiesOf(read(logOf({ messages: [], events })).drafts)[2]).toMatchObject({ isError: true });
});

test("without events the sums of each model are its last answer's, or a call of their own", () => {
  const model_usage = { "reef/coral-1": usageOf(10), "reef/judge": usageOf(900), "reef/pilot": usageOf(40) };
  const messages = [...dive, surfaced, { role: "assistant", content: "Up." }];
  const usagesOf = (given: object) =>
    callsOf(read(logOf({ model_usage, ...given })).drafts).map(({ model, usage }) => [model, usage?.inputUncached]);
  expect(usagesOf({ messages, output: { model: "coral-1-2026" } })).toEqual([
    ["coral-1-2026", undefined],
    ["coral-1-2026", 10],
    ["reef/judge", 900],
    ["reef/pilot", 40],
  ]);
  const named = messages.map((one, i) => ({
    ...one,
    ...(i === 1 && { model: "pilot" }),
    ...(i === 3 && { model: "judge" }),
  }));
  expect(usagesOf({ messages: named })).toEqual([
    ["pilot", 40],
    ["judge", 900],
    ["reef/coral-1", 10],
  ]);
});

test("an answer of the sample's input is no call", () => {
  const example = { role: "assistant", content: "Six.", source: "input" };
  const messages = [
    ...[dive[0], example],
    { role: "user", content: "And now?" },
    { role: "assistant", content: "Seven." },
  ];
  const { drafts } = read(logOf({ messages, model_usage: { m: usageOf(10) } }));
  expect(callsOf(drafts)).toMatchObject([{ usage: { inputUncached: 10 } }]);
  expect(bodiesOf(drafts).map(({ type }) => type)).toEqual(["user", "assistant", "user", "assistant"]);
});

const usageOf = (input: number) => ({ input_tokens: input, output_tokens: 1, total_tokens: input + 1 });

test("a log without samples has the sums of its models", () => {
  const log = {
    ...{ version: 2, status: "success", eval: { eval_id: "e", task: "t" }, samples: [] },
    stats: { model_usage: { "reef/coral-1": usageOf(190), "reef/coral-2": usageOf(7) } },
  };
  const { drafts } = read(Buffer.from(JSON.stringify(log)));
  expect(callsOf(drafts).map(({ model, usage }) => [model, usage?.inputUncached, usage?.output])).toEqual([
    ["reef/coral-1", 190, 1],
    ["reef/coral-2", 7, 1],
  ]);
});

const compaction = (second: number, more: object) => ({
  ...{ event: "compaction", timestamp: `2026-02-01T10:00:0${second}+00:00`, source: "inspect" },
  ...more,
});
const asked = (content: string) => ({ role: "user", content });

test("a compaction keeps what the call behind it is sent again", () => {
  const events = [
    modelEvent(10, "one", 1),
    modelEvent(20, "two", 2, { input: [asked("Count."), { role: "assistant", content: "one" }, asked("On.")] }),
    compaction(3, { type: "summary", tokens_before: 900, tokens_after: 100 }),
    modelEvent(30, "three", 4, { input: [asked("Count."), asked("Summary: one, two.")] }),
  ];
  const { drafts } = read(logOf({ messages: [], events }));
  const told = drafts.flatMap((draft) => (draft.kind === "event" ? [draft] : []));
  const key = (text: string) => told.find(({ body }) => "text" in body && body.text === text)?.recordKey;
  const found = told.filter(({ body }) => body.type === "compaction");
  expect(found.map(({ body }) => body)).toEqual([
    {
      ...{ type: "compaction", kind: "full", trigger: "inspect", tokensBefore: 900, tokensAfter: 100, text: "" },
      preserved: [key("Count.")],
    },
  ]);
  expect(told.filter(({ body }) => body.type === "user").map(({ body }) => "text" in body && body.text)).toEqual([
    ...["Count.", "On.", "Summary: one, two."],
  ]);
  expect(callsOf(drafts)).toHaveLength(3);
});

test("an edit of the context blanks the results that the call behind it is sent otherwise", () => {
  const call = { id: "t1", function: "dive", arguments: {}, type: "function" };
  const answer = { role: "assistant", content: "", tool_calls: [call] };
  const result = (content: string) => ({ role: "tool", tool_call_id: "t1", function: "dive", content });
  const events = [
    modelEvent(10, "one", 1, { output: { choices: [{ message: answer }], usage: usageOf(10) } }),
    modelEvent(20, "two", 2, { input: [asked("Count."), answer, result("Twelve corals.")] }),
    compaction(3, { type: "edit" }),
    modelEvent(30, "three", 4, { input: [asked("Count."), answer, result("(removed)")] }),
  ];
  const { drafts } = read(logOf({ messages: [], events }));
  expect(bodiesOf(drafts).filter(({ type }) => type === "compaction")).toMatchObject([
    { kind: "micro", cleared: ["t1"] },
  ]);
  expect(bodiesOf(drafts).filter(({ type }) => type === "tool_result")).toMatchObject([{ text: "Twelve corals." }]);
});
