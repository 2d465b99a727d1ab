// Plain messages of providers and libraries. All is written by hand.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isDocument, type Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { bodies, calls, events, patches, recordsOf } from "./codex/testing-codex.ts";
import { FORMATS } from "./index.ts";

const messages = FORMATS.find(({ id }) => id === "messages")!;
const fixture = (name: string): Uint8Array =>
  readFileSync(join(import.meta.dirname, "fixtures", `messages-synthetic-${name}`));

function read(bytes: Uint8Array) {
  const file = { path: "x", head: bytes.subarray(0, 65_536), sidecars: new Map<string, string>() };
  const state = messages.start(file);
  const whole = [{ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }];
  const records = isDocument(messages, file) ? whole : recordsOf(bytes);
  const drafts: Draft[] = records.flatMap((record) => messages.parse(record, state));
  return { drafts, name: messages.identify(state) };
}
const spoken = (name: string): EventBody[] => bodies(read(fixture(name)).drafts).filter(({ type }) => type !== "meta");
const detects = (value: unknown): boolean =>
  messages.detect({ path: "x", head: new TextEncoder().encode(JSON.stringify(value)), sidecars: new Map() });

test("the context that Autobyteus keeps beside its traces is no conversation of its own", () => {
  const list = [{ role: "system", content: "You count.", tool_payload: null }];
  expect(detects({ schema_version: 3, agent_id: "tide", epoch_id: 1, messages: list })).toBe(false);
  expect(detects({ schema_version: 5, agent_id: "tide", messages: list })).toBe(false);
  expect(detects({ agent_id: "tide", messages: list })).toBe(true);
});

test("a message's time is text, seconds or milliseconds; a number that is no time is none", () => {
  const times = ["2026-02-03T09:00:00.250Z", 1_770_109_200.25, 1_770_109_200_250, 1_770_109_200_249.6, 1e300, 7];
  const list = times.map((timestamp) => ({ role: "user", content: "How many?", timestamp }));
  const { drafts } = read(new TextEncoder().encode(JSON.stringify(list)));
  const at = 1_770_109_200_250;
  expect(drafts.flatMap((draft) => (draft.kind === "event" ? [draft.ts] : []))).toEqual([at, at, at, at, null, null]);
});

test("OpenAI's chat: calls with arguments that are no JSON, results in any order, the old function call", () => {
  expect(spoken("chat.json")).toMatchObject([
    { type: "system", text: "You count." },
    { type: "user", text: "How many corals?", images: [{ mediaType: "image/png" }] },
    { type: "reasoning", text: "Look first." },
    { type: "tool_call", toolCallId: "c1", input: { at: "reef" } },
    { type: "tool_call", toolCallId: "c2", input: '{"at": ' },
    { type: "tool_result", toolCallId: "c2", text: "bad arguments" },
    { type: "tool_result", toolCallId: "c1", text: "seven" },
    { type: "tool_call", toolName: "old" },
    { type: "tool_result", text: "8" },
    { type: "assistant", text: "Seven." },
  ]);
  const { drafts } = read(fixture("chat.json"));
  expect(bodies(drafts)).toContainEqual(expect.objectContaining({ sent: "tools", name: "look" }));
  expect(patches(drafts)).toMatchObject({ model: "gpt-4o", title: "How many corals?" });
});

test("OpenAI's Responses: items, sealed reasoning, calls of the provider's own, and the usage of the answer", () => {
  expect(spoken("responses.json")).toMatchObject([
    { type: "system", text: "You count." },
    { type: "user", text: "How many?" },
    { type: "tool_call", toolCallId: "f0" },
    { type: "tool_result", toolCallId: "f0", text: "three" },
    { type: "reasoning", text: "Count again.", encrypted: true },
    { type: "tool_call", toolName: "web_search", hosted: true },
    { type: "assistant", text: "Four." },
    { type: "tool_call", toolCallId: "f1", input: { again: true } },
  ]);
  const used = new Map(calls(read(fixture("responses.json")).drafts).map(({ key, usage }) => [key, usage]));
  expect([...used]).toMatchObject([["resp_1", { inputUncached: 60, cacheRead: 40, output: 30, reasoning: 12 }]]);
});

test("OpenAI's own tools: code and its output, what a shell wrote, a patch that failed", () => {
  const output = [
    { type: "code_interpreter_call", id: "k1", code: "1+1", outputs: [{ type: "logs", logs: "2" }] },
    { type: "file_search_call", id: "k2", queries: ["reef"], results: [{ text: "corals" }] },
    { type: "shell_call", call_id: "k3", action: { commands: ["ls"] } },
    { type: "shell_call_output", call_id: "k3", output: [{ stdout: "a", stderr: "b", outcome: { type: "exit" } }] },
    { type: "apply_patch_call", call_id: "k4", operation: { path: "a" } },
    { type: "apply_patch_call_output", call_id: "k4", status: "failed", output: "No such file" },
  ];
  const input = [{ role: "user", content: "Go" }];
  const document = { id: "resp_1", object: "response", model: "m1", input, output };
  expect(bodies(read(new TextEncoder().encode(JSON.stringify(document))).drafts).slice(1)).toMatchObject([
    { type: "tool_call", toolName: "code_interpreter", input: { code: "1+1" }, hosted: true },
    { type: "tool_result", toolCallId: "k1", text: "2" },
    { type: "tool_call", toolName: "file_search", input: { queries: ["reef"] }, hosted: true },
    { type: "tool_result", toolCallId: "k2", text: '[{"text":"corals"}]' },
    { type: "tool_call", toolName: "shell", input: { commands: ["ls"] } },
    { type: "tool_result", toolCallId: "k3", text: "a\nb", isError: false },
    { type: "tool_call", toolName: "apply_patch" },
    { type: "tool_result", toolCallId: "k4", text: "No such file", isError: true },
  ]);
});

test("Anthropic: results in the person's message, thinking, what the provider searched, a part of a kind unknown", () => {
  expect(spoken("anthropic.json")).toMatchObject([
    { type: "system" },
    { type: "user", text: "How many?" },
    { type: "reasoning", text: "Look.", signatureChars: 4 },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "t1" },
    { type: "tool_result", toolCallId: "t1", isError: true, text: "dark", images: [{ mediaType: "image/png" }] },
    { type: "user", text: "Try again." },
    { type: "reasoning", encrypted: true },
    { type: "tool_call", toolName: "web_search", hosted: true },
    { type: "assistant", text: "Seven." },
    { type: "unknown" },
  ]);
  expect(calls(read(fixture("anthropic.json")).drafts)[0]!.usage).toMatchObject({
    inputUncached: 50,
    cacheRead: 20,
    cacheWrite: 5,
    output: 9,
  });
});

test("the AI SDK: messages for screens hold a call and its result in one part, those for models apart", () => {
  expect(spoken("ui.json")).toMatchObject([
    { type: "user", text: "How many?", images: [{ mediaType: "image/png" }] },
    { type: "reasoning", text: "Look." },
    { type: "tool_call", toolName: "look", toolCallId: "u1" },
    { type: "tool_result", toolCallId: "u1", text: '{"count":7}' },
    { type: "tool_call", toolName: "dive", toolCallId: "u2" },
    { type: "tool_result", toolCallId: "u2", isError: true, text: "No air" },
    { type: "assistant", text: "Seven." },
    { type: "assistant", text: "Old form." },
    { type: "tool_call", toolCallId: "u3" },
    { type: "tool_result", toolCallId: "u3", text: "x" },
  ]);
  expect(calls(read(fixture("ui.json")).drafts)[0]!.usage).toMatchObject({
    inputUncached: 50,
    cacheRead: 10,
    output: 7,
    reasoning: 2,
  });
  expect(spoken("model.json").filter(({ type }) => type === "tool_result")).toMatchObject([
    { toolCallId: "m1", text: '{"count":7}', isError: false },
    { toolCallId: "m2", text: "dark", isError: true },
  ]);
});

test("Anthropic: an answer that tells its thinking apart keeps its cache counts", () => {
  const usage = {
    ...{ input_tokens: 20, cache_read_input_tokens: 900, cache_creation_input_tokens: 100 },
    ...{ output_tokens: 60, output_tokens_details: { thinking_tokens: 40 } },
  };
  const answered = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "Yes." }],
    usage,
  };
  const log = { messages: [{ role: "user", content: "Ask" }], response: answered };
  const { drafts } = read(new TextEncoder().encode(JSON.stringify(log)));
  expect(calls(drafts).map((call) => call.usage)).toMatchObject([
    { inputUncached: 20, cacheRead: 900, cacheWrite: 100, output: 60, reasoning: 40 },
  ]);
});

test("LangChain: flat, wrapped and serialised messages, calls that are invalid, both places of its usage", () => {
  expect(spoken("langchain.json")).toMatchObject([
    { type: "user", text: "How many?" },
    { type: "tool_call", toolCallId: "l1", input: { at: "reef" } },
    { type: "tool_call", toolCallId: "l2", input: "{" },
    { type: "tool_result", toolCallId: "l1", isError: true },
    { type: "assistant", text: "Seven." },
    { type: "user", text: "Thanks." },
  ]);
  expect(calls(read(fixture("langchain.json")).drafts).map(({ usage }) => usage)).toMatchObject([
    { inputUncached: 20, cacheRead: 10, output: 4, reasoning: 1 },
    { inputUncached: 40, output: 2 },
  ]);
});

test("Google's contents: calls without ids get their results in order", () => {
  const all = spoken("gemini.json");
  const made = all.flatMap((body) => (body.type === "tool_call" ? [body.toolCallId] : []));
  expect(all.filter(({ type }) => type === "tool_result")).toMatchObject([
    { toolCallId: made[0], text: "seven", isError: false },
    { toolCallId: made[1], text: "dark", isError: true },
  ]);
  expect(new Set(made).size).toBe(2);
});

test("a message a line is one session; a role that is not known stays", () => {
  const { drafts } = read(fixture("lines.jsonl"));
  expect([...new Set(events(drafts).map(({ lane }) => lane))]).toEqual([""]);
  expect(bodies(drafts)).toContainEqual(
    expect.objectContaining({ type: "unknown", reason: expect.stringContaining("narrator") }),
  );
  expect(calls(drafts).map(({ usage }) => usage?.inputUncached ?? null)).toEqual([12, null]);
});

test("a conversation a line is a session a line", () => {
  const { drafts } = read(fixture("dataset.jsonl"));
  const lanes = Map.groupBy(events(drafts), ({ lane }) => lane);
  expect([...lanes.values()].map((own) => own.map(({ body }) => (body as { text: string }).text))).toEqual([
    ["Question 1?", "Answer 1."],
    ["Question 2?", "Answer 2."],
    ["Q3?", "A3."],
  ]);
});

test("a log of requests is read by what each one adds; a request that begins anew is another session", () => {
  const { drafts } = read(fixture("log.jsonl"));
  const own = events(drafts).filter(({ body }) => body.type !== "meta");
  expect(own.filter(({ lane }) => lane === "").map(({ body }) => body.type)).toEqual([
    ...["user", "assistant", "tool_call", "tool_result", "assistant"],
  ]);
  expect(own.filter(({ lane }) => lane !== "").map(({ body }) => body.type)).toEqual(["user", "assistant"]);
  expect(calls(drafts).map(({ key, usage, ts }) => [key, usage!.inputUncached, usage!.cacheRead, ts])).toEqual([
    ["g1", 100, 0, 1_770_000_000_500],
    ["g2", 60, 90, 1_770_000_002_000],
    ["g3", 20, 0, 1_770_000_009_000],
  ]);
});

test("ordinary JSON holds no messages", () => {
  const others = [
    { name: "reef", version: "1.0.0", dependencies: {} },
    { compilerOptions: {}, include: ["lib"] },
    [{ role: "admin", name: "Ada" }],
    [{ role: "user", name: "Ada" }],
    { users: [{ role: "user", content: "x" }] },
    [
      { type: "system", content: "started" },
      { type: "tool", content: "x" },
    ],
    { messages: { hello: "Hello" } },
    { messages: ["Hello"] },
    { input: "x", output: "y" },
    { data: [{ id: 1 }] },
    { openapi: "3.0", paths: {} },
    [1, 2],
    [],
    {},
    "text",
  ];
  for (const other of others) expect(detects(other), JSON.stringify(other)).toBe(false);
  expect(detects([{ role: "user", content: "x" }])).toBe(true);
});

test("what LiteLLM logged: costs add up, each request has its time, and one that failed is no answer", () => {
  const { drafts } = read(fixture("litellm.jsonl"));
  expect(bodies(drafts).map(({ type }) => type)).toEqual([
    "system",
    "user",
    "tool_call",
    "tool_result",
    "assistant",
    "user",
    "error",
  ]);
  expect(calls(drafts)).toHaveLength(2);
  expect(drafts.findLast(({ kind }) => kind === "reported")).toMatchObject({
    usd: 0.003,
    usage: { "gpt-5.5": { inputUncached: 60, cacheRead: 40, output: 14 } },
  });
  expect(events(drafts).at(-1)).toMatchObject({ ts: 1_772_442_009_000, body: { text: "RateLimitError: slow down" } });
});

test("what OpenRouter charged stands among an answer's tokens", () => {
  const line = {
    request: { messages: [{ role: "user", content: "How many?" }] },
    response: {
      ...{ id: "g1", model: "m", choices: [{ message: { role: "assistant", content: "Seven." } }] },
      usage: { prompt_tokens: 100, completion_tokens: 10, cost: "0.00014" },
    },
  };
  const { drafts } = read(Buffer.from(`${JSON.stringify(line)}\n`));
  expect(drafts.findLast(({ kind }) => kind === "reported")).toMatchObject({ usd: 0.00014 });
});

test("the window that OpenHands notes beside an answer is that of its call", () => {
  const line = {
    messages: [{ role: "user", content: "How many?" }],
    response: {
      ...{ id: "g1", model: "litellm_proxy/own", choices: [{ message: { role: "assistant", content: "Seven." } }] },
      usage: { prompt_tokens: 100, completion_tokens: 10 },
    },
    ...{ context_window: 200_000, cost: 0.02 },
  };
  expect(calls(read(Buffer.from(`${JSON.stringify(line)}\n`)).drafts)).toMatchObject([{ window: 200_000 }]);
  const without = { ...line, context_window: "large" };
  expect(calls(read(Buffer.from(`${JSON.stringify(without)}\n`)).drafts)).toEqual([
    expect.not.objectContaining({ window: expect.anything() as unknown }),
  ]);
});

const lines = (...values: readonly unknown[]): Uint8Array =>
  new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));

test("a generated content names its model by its version", () => {
  const answer = {
    candidates: [{ content: { role: "model", parts: [{ text: "Twelve." }] } }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
    modelVersion: "gemini-2.5-pro",
  };
  const request = { contents: [{ role: "user", parts: [{ text: "How many corals?" }] }] };
  for (const value of [answer, { request, response: answer }])
    expect(calls(read(lines(value)).drafts)).toMatchObject([{ model: "gemini-2.5-pro", usage: { output: 2 } }]);
});

test("Anthropic's stream, an event a line: one answer, with the output that its end counts", () => {
  const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 300, cache_creation_input_tokens: 0 };
  const start = { id: "msg_s", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [], usage };
  const stream = [
    { type: "message_start", message: start },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I " } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "look." } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "t1", name: "look", input: {} } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"at":' } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '"reef"}' } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 50 } },
    { type: "message_stop" },
  ];
  for (const bytes of [lines(...stream), lines({ messages: [{ role: "user", content: "Look." }], response: stream })]) {
    const { drafts } = read(bytes);
    const counted = calls(drafts);
    expect(new Set(counted.map(({ key, model }) => `${key} ${model}`))).toEqual(new Set(["msg_s claude-sonnet-4-5"]));
    expect(Math.max(...counted.map((call) => call.usage?.output ?? 0))).toBe(50);
    expect(Math.max(...counted.map((call) => call.usage?.cacheRead ?? 0))).toBe(300);
    expect(bodies(drafts).filter(({ type }) => type !== "meta" && type !== "user")).toEqual([
      { type: "assistant", text: "I look." },
      { type: "tool_call", toolCallId: "t1", toolName: "look", input: { at: "reef" } },
    ]);
    expect(events(drafts).filter(({ body }) => body.type === "unknown")).toEqual([]);
  }
});

test("a request's answer may be a list of chunks, or a completion; what cannot be read of it is said", () => {
  const request = { model: "gpt-4o", messages: [{ role: "user", content: "Look." }] };
  const chunk = (delta: object, more: object = {}) => ({
    ...{ id: "cs1", object: "chat.completion.chunk", model: "gpt-4o-2024-08-06", choices: [{ index: 0, delta }] },
    ...more,
  });
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  const part = (args: string, more: object = {}) => ({
    tool_calls: [{ index: 0, ...more, function: { arguments: args } }],
  });
  const chunks = [
    chunk({ role: "assistant", content: "I " }),
    chunk({ content: "look." }),
    chunk({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "look", arguments: "" } }] }),
    chunk(part('{"at":')),
    chunk(part('"reef"}')),
    chunk({}, { choices: [], usage }),
  ];
  const { drafts } = read(lines({ request, response: chunks }));
  expect(calls(drafts)).toMatchObject([
    { key: "cs1", model: "gpt-4o-2024-08-06", usage: { inputUncached: 20, output: 5 } },
  ]);
  expect(bodies(drafts)).toMatchObject([
    { type: "user" },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "c1", toolName: "look", input: { at: "reef" } },
  ]);
  const message = { role: "assistant", content: "Done." };
  const completion = { id: "r1", object: "chat.completion", model: "gpt-4o", choices: [{ message }], usage };
  expect(calls(read(lines({ ...request, completion })).drafts)).toMatchObject([{ key: "r1", usage: { output: 5 } }]);
  const other = bodies(read(lines({ request, response: [{ wind: 7 }] })).drafts).at(-1);
  expect(other).toMatchObject({ type: "meta", subtype: "response", text: expect.stringContaining("wind") as unknown });
});

test("each step of an AI SDK message is a call", () => {
  const tool = { type: "tool-look", toolCallId: "c1", state: "output-available", input: {}, output: "12" };
  const parts = [{ type: "step-start" }, tool, { type: "step-start" }, { type: "text", text: "Twelve." }];
  const totalUsage = { inputTokens: 30, outputTokens: 6 };
  const answer = { id: "2", role: "assistant", parts, metadata: { model: "gpt-4o", usage: totalUsage } };
  const { drafts } = read(lines([{ id: "1", role: "user", parts: [{ type: "text", text: "Count." }] }, answer]));
  expect(new Set(calls(drafts).map(({ key }) => key)).size).toBe(2);
  // Its usage is that of all steps.
  expect(calls(drafts).map((call) => call.usage?.output ?? null)).toEqual([null, 6]);
  const beside = { ...answer, metadata: {}, usage: totalUsage };
  expect(calls(read(lines([beside])).drafts).map((call) => call.usage?.output ?? null)).toEqual([null, 6]);
  const keys = calls(drafts).map(({ key }) => key);
  expect(events(drafts).map(({ body, callKey }) => [body.type, keys.indexOf(callKey ?? "")])).toEqual([
    ["user", -1],
    ["tool_call", 0],
    ["tool_result", -1],
    ["assistant", 1],
  ]);
});

test("LiteLLM's details of cache writes tell those for an hour", () => {
  const details = { cached_tokens: 900, cache_creation_tokens: 100 };
  const lifetimes = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 70 };
  const line = {
    messages: [{ role: "user", content: "How many?" }],
    response: {
      ...{ id: "g1", model: "claude-sonnet-4-5", choices: [{ message: { role: "assistant", content: "Seven." } }] },
      usage: {
        ...{ prompt_tokens: 1020, completion_tokens: 10, cache_creation_input_tokens: 100 },
        prompt_tokens_details: { ...details, cache_creation_token_details: lifetimes },
      },
    },
  };
  expect(calls(read(Buffer.from(`${JSON.stringify(line)}\n`)).drafts)).toMatchObject([
    { usage: { inputUncached: 20, cacheRead: 900, cacheWrite: 100, cacheWrite1h: 70 } },
  ]);
});

test("AI SDK: what a person allowed or denied is no call, and a call that was denied has failed", () => {
  const call = { type: "tool-call", toolCallId: "c1", toolName: "wipe", input: { at: "reef" } };
  const approval = { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" };
  const said = { type: "tool-approval-response", approvalId: "a1", approved: false, reason: "Too deep." };
  const output = { type: "execution-denied", reason: "Too deep." };
  const denied = { type: "tool-result", toolCallId: "c1", toolName: "wipe", output };
  const list = [
    { role: "user", content: "Wipe it." },
    { role: "assistant", content: [call, approval] },
    { role: "tool", content: [said, denied] },
  ];
  expect(bodies(read(lines(list)).drafts)).toMatchObject([
    { type: "user", text: "Wipe it." },
    { type: "tool_call", toolCallId: "c1", toolName: "wipe" },
    { type: "meta", subtype: "tool-approval-request" },
    { type: "meta", subtype: "tool-approval-response" },
    { type: "tool_result", toolCallId: "c1", text: "Too deep.", isError: true },
  ]);
  const part = { type: "tool-wipe", toolCallId: "c2", rawInput: "{at", approval: { id: "a2", reason: "No." } };
  const screen = [{ id: "1", role: "assistant", parts: [{ ...part, state: "output-denied" }] }];
  expect(bodies(read(lines(screen)).drafts)).toMatchObject([
    { type: "tool_call", toolCallId: "c2", input: "{at" },
    { type: "tool_result", toolCallId: "c2", text: "No.", isError: true },
  ]);
});

test("the usage of an AI SDK message under other names", () => {
  const parts = [{ type: "text", text: "Seven." }];
  const totalUsage = { inputTokens: 30, outputTokens: 6 };
  const annotations = [{ type: "chat" }, { type: "usage", value: { promptTokens: 30, completionTokens: 6 } }];
  for (const more of [{ metadata: { totalUsage } }, { content: "Seven.", annotations }])
    expect(calls(read(lines([{ id: "1", role: "assistant", parts, ...more }])).drafts)).toMatchObject([
      { usage: { inputUncached: 30, output: 6 } },
    ]);
});

test("LangChain: thoughts beside a message, images with their bytes in a block", () => {
  const base64 = Buffer.alloc(60, "reef").toString("base64");
  const content = [{ type: "image", base64, mime_type: "image/png" }];
  const summary = [{ type: "summary_text", text: "Count the corals." }];
  const list = [
    { type: "human", content },
    { type: "ai", content: "Seven.", additional_kwargs: { reasoning_content: "Look first." } },
    { type: "ai", content: "Eight.", additional_kwargs: { reasoning: { type: "reasoning", summary } } },
  ];
  expect(bodies(read(lines({ messages: list })).drafts)).toMatchObject([
    { type: "user", images: [{ mediaType: "image/png" }] },
    { type: "reasoning", text: "Look first." },
    { type: "assistant", text: "Seven." },
    { type: "reasoning", text: "Count the corals." },
    { type: "assistant", text: "Eight." },
  ]);
});

test("items of one of OpenAI's responses are one call, until a result or a prompt is between them", () => {
  const words = (text: string) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
  const list = [
    { role: "user", content: "How many?" },
    { type: "reasoning", id: "rs_1", summary: [] },
    words("I look."),
    { type: "function_call", call_id: "f1", name: "look", arguments: "{}" },
    { type: "function_call", call_id: "f2", name: "look", arguments: "{}" },
    { type: "function_call_output", call_id: "f1", output: "3" },
    { type: "function_call_output", call_id: "f2", output: "4" },
    words("Seven."),
  ];
  const { drafts } = read(lines(list));
  const keys = [...new Set(calls(drafts).map(({ key }) => key))];
  expect(keys).toHaveLength(2);
  expect(events(drafts).map(({ callKey }) => keys.indexOf(callKey ?? ""))).toEqual([-1, 0, 0, 0, 0, -1, -1, 1]);
});

test("items of OpenAI's that are of no answer: tools that came, a compaction, what a search for tools found", () => {
  const list = [
    { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "look" }] },
    { type: "compaction", encrypted_content: "c2VhbGVk" },
    { type: "message", role: "user", content: [{ type: "input_text", text: "How many?" }] },
    { type: "tool_search_call", call_id: "s1", execution: "client", arguments: { query: "reef" } },
    { type: "tool_search_output", call_id: "s1", tools: [{ type: "function", name: "dive" }] },
  ];
  expect(detects(list)).toBe(true);
  const { drafts } = read(lines(list));
  expect(bodies(drafts)).toMatchObject([
    { type: "meta", subtype: "additional_tools" },
    { type: "meta", subtype: "compaction" },
    { type: "user", text: "How many?" },
    { type: "tool_call", toolCallId: "s1", toolName: "tool_search", input: { query: "reef" } },
    { type: "tool_result", toolCallId: "s1", text: expect.stringContaining("dive") as unknown },
  ]);
  expect(new Set(calls(drafts).map(({ key }) => key)).size).toBe(1);
});

test("items as OpenAI's Agents SDK for JavaScript keeps them", () => {
  const list = [
    { type: "message", role: "user", content: "How many?" },
    { type: "reasoning", content: [{ type: "input_text", text: "Look first." }] },
    { type: "function_call", callId: "f1", name: "look", status: "completed", arguments: '{"at":"reef"}' },
    { type: "function_call_result", callId: "f1", name: "look", output: { type: "text", text: "7" } },
    { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Seven." }] },
  ];
  expect(detects(list)).toBe(true);
  const { drafts } = read(lines(list));
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "How many?" },
    { type: "reasoning", text: "Look first." },
    { type: "tool_call", toolCallId: "f1", toolName: "look", input: { at: "reef" } },
    { type: "tool_result", toolCallId: "f1", text: "7" },
    { type: "assistant", text: "Seven." },
  ]);
  expect(new Set(calls(drafts).map(({ key }) => key)).size).toBe(2);
});

test("LiteLLM: an answer whose words were kept out of the log, and a row of its spend", () => {
  const counts = { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109 };
  const payload = {
    ...{ id: "g1", call_type: "acompletion", status: "success", startTime: 1_770_109_200.5, model: "gpt-4o" },
    ...{ ...counts, response_cost: 0.002, response: { text: "redacted-by-litellm" } },
    messages: [{ role: "user", content: "redacted-by-litellm" }],
    metadata: { usage_object: { ...counts, prompt_tokens_details: { cached_tokens: 60 } } },
  };
  expect(calls(read(lines(payload)).drafts)).toMatchObject([
    { key: "g1", model: "gpt-4o", usage: { inputUncached: 40, cacheRead: 60, output: 9 } },
  ]);
  const choices = [{ message: { role: "assistant", content: "Seven." } }];
  const row = {
    ...{ request_id: "g2", call_type: "acompletion", startTime: "2026-02-03T09:00:00Z", spend: 0.002, messages: {} },
    proxy_server_request: { model: "gpt-4o", messages: [{ role: "user", content: "How many?" }] },
    response: { id: "g2", model: "gpt-4o", choices, usage: counts },
  };
  expect(detects(row)).toBe(true);
  const { drafts } = read(lines(row));
  expect(bodies(drafts)).toMatchObject([
    { type: "user", text: "How many?" },
    { type: "assistant", text: "Seven." },
  ]);
  expect(drafts.find(({ kind }) => kind === "reported")).toMatchObject({ usd: 0.002 });
});
