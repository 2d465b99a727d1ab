// What is recorded of a call is the same, streamed or whole; bytes pass unchanged, and what is no model's call is left alone.
import { expect, test } from "vitest";
import { ArtifactKit } from "./artifact-kit.ts";
import type { CallRecord, EventRecord } from "./recorder/record-types.ts";
import { recordingFetch } from "./recording-fetch.ts";

type Answer = { readonly body: string; readonly type: string; readonly status?: number };

/** Sends one request, whose answer comes in pieces of a few bytes. */
async function record(path: string, request: object, { body, type, status = 200 }: Answer) {
  const records: (EventRecord | CallRecord)[] = [];
  const kit = new ArtifactKit({ recorder: { record: (one) => void records.push(one) } });
  const bytes = new TextEncoder().encode(body);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
      controller.close();
    },
  });
  const send = recordingFetch(kit, () =>
    Promise.resolve(new Response(stream, { status, headers: { "content-type": type } })),
  );
  const response = await send(`https://api.test/v1${path}`, { method: "POST", body: JSON.stringify(request) });
  expect(await response.text()).toBe(body);
  return records.map((one) => (one.record === "call" ? { model: one.model, usage: one.usage } : one.body));
}

const lines = (events: readonly object[], named = true): string =>
  events
    .map((one) => `${named ? `event: ${(one as { type: string }).type}\n` : ""}data: ${JSON.stringify(one)}\n\n`)
    .join("");
const user = { type: "user", text: "How high is the tide? é😀" };
const call = { type: "tool_call", toolCallId: "c1", toolName: "gauge", input: { pier: 4 } };
const said = { type: "assistant", text: "Let me look. é😀" };
const usage = (more: object) => ({
  inputUncached: 90,
  cacheRead: 10,
  cacheWrite: 0,
  output: 7,
  reasoning: 0,
  origin: "reported",
  ...more,
});

test("Anthropic's Messages, streamed and whole", async () => {
  const request = { system: [{ type: "text", text: "Be brief." }], messages: [{ role: "user", content: user.text }] };
  const counted = { input_tokens: 90, cache_read_input_tokens: 10, cache_creation_input_tokens: 0, output_tokens: 7 };
  const frame = { id: "m", role: "assistant", model: "claude" };
  const tool = { type: "tool_use", id: "c1", name: "gauge" };
  const content = [
    { type: "thinking", thinking: "Hm." },
    { type: "text", text: said.text },
    { ...tool, input: { pier: 4 } },
  ];
  const whole = { ...frame, content, usage: counted };
  const stream = lines([
    { type: "message_start", message: { ...frame, content: [], usage: { ...counted, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Let me " } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "look. é😀" } },
    { type: "content_block_start", index: 2, content_block: { ...tool, input: {} } },
    { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"pier":' } },
    { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "4}" } },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ]);
  const expected = [
    { type: "system", subtype: "prompt", text: "Be brief." },
    user,
    { model: "claude", usage: usage({}) },
    { type: "reasoning", text: "Hm." },
    said,
    call,
  ];
  expect(await record("/messages", request, { body: JSON.stringify(whole), type: "application/json" })).toEqual(
    expected,
  );
  expect(await record("/messages", request, { body: stream, type: "text/event-stream" })).toEqual(expected);
});

test("Anthropic's Messages: cache writes for one hour, thinking, and a price of its own", async () => {
  const counted = {
    ...{ input_tokens: 90, cache_read_input_tokens: 10, cache_creation_input_tokens: 40, output_tokens: 7 },
    ...{ cache_creation: { ephemeral_1h_input_tokens: 30, ephemeral_5m_input_tokens: 10 }, inference_geo: "us" },
    output_tokens_details: { thinking_tokens: 5 },
  };
  const whole = { id: "m", role: "assistant", model: "claude-opus-5", content: [], usage: counted };
  const request = { messages: [{ role: "user", content: user.text }] };
  expect(await record("/messages", request, { body: JSON.stringify(whole), type: "application/json" })).toEqual([
    user,
    { model: "claude-opus-5-us", usage: usage({ cacheWrite: 40, cacheWrite1h: 30, reasoning: 5 }) },
  ]);
});

test("chat completions, streamed and whole", async () => {
  const request = { messages: [user].map(({ text }) => ({ role: "user", content: text })) };
  const counted = {
    prompt_tokens: 100,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 40 },
  };
  const called = { id: "c1", type: "function", function: { name: "gauge", arguments: '{"pier":4}' } };
  const message = { role: "assistant", content: said.text, tool_calls: [called] };
  const whole = { model: "gpt", choices: [{ message }], usage: counted };
  const chunk = (delta: object) => ({ model: "gpt", choices: [{ delta }] });
  const part = (text: string, more: object = {}) => ({ index: 0, ...more, function: { arguments: text } });
  const stream = `${lines(
    [
      chunk({ role: "assistant", content: "Let me " }),
      chunk({ content: "look. é😀" }),
      chunk({ tool_calls: [{ index: 0, id: "c1", function: { name: "gauge", arguments: "" } }] }),
      chunk({ tool_calls: [part('{"pier":')] }),
      chunk({ tool_calls: [part("4}")] }),
      { choices: [], usage: counted },
    ],
    false,
  )}data: [DONE]\n\n`;
  const expected = [user, { model: "gpt", usage: usage({ inputUncached: 50, cacheWrite: 40 }) }, said, call];
  expect(await record("/chat/completions", request, { body: JSON.stringify(whole), type: "application/json" })).toEqual(
    expected,
  );
  expect(await record("/chat/completions", request, { body: stream, type: "text/event-stream" })).toEqual(expected);
  const none = { ...counted, prompt_tokens_details: { cached_tokens: null, cache_write_tokens: null } };
  const body = JSON.stringify({ ...whole, usage: none });
  const [, answered] = await record("/chat/completions", request, { body, type: "application/json" });
  expect(answered).toEqual({ model: "gpt", usage: usage({ inputUncached: 100, cacheRead: 0, cacheWrite: 0 }) });
});

test("Responses, streamed and whole, with the results of calls and what a continued one repeats", async () => {
  const output = [
    { type: "message", role: "assistant", content: [{ type: "output_text", text: said.text }] },
    { type: "function_call", call_id: "c1", name: "gauge", arguments: '{"pier":4}' },
  ];
  const counted = {
    input_tokens: 100,
    output_tokens: 7,
    input_tokens_details: { cached_tokens: 10, cache_write_tokens: 40 },
  };
  const whole = { model: "gpt", output, usage: counted };
  const stream = lines([
    { type: "response.created", response: {} },
    { type: "response.completed", response: whole },
  ]);
  const expected = [user, { model: "gpt", usage: usage({ inputUncached: 50, cacheWrite: 40 }) }, said, call];
  expect(
    await record("/responses", { input: user.text }, { body: JSON.stringify(whole), type: "application/json" }),
  ).toEqual(expected);
  expect(await record("/responses", { input: user.text }, { body: stream, type: "text/event-stream" })).toEqual(
    expected,
  );
  const results = [output[1], { type: "function_call_output", call_id: "c1", output: "4.32 m" }];
  const [first, second] = await record("/responses", { input: results }, { body: "{}", type: "application/json" });
  expect([first, second]).toMatchObject([
    { type: "tool_call", toolName: "gauge" },
    { type: "tool_result", text: "4.32 m" },
  ]);
});

test("a refusal, another address, and a body of another shape pass, and nothing is recorded of them", async () => {
  const type = "application/json";
  const request = { messages: [{ role: "user", content: "x" }] };
  expect(await record("/messages", request, { body: "{}", type, status: 529 })).toEqual([]);
  expect(await record("/embeddings", request, { body: "{}", type })).toEqual([]);
  expect(await record("/messages", { messages: 7 }, { body: "no json", type })).toEqual([]);
  expect(await record("/messages", request, { body: "data: {broken\n\n", type: "text/event-stream" })).toEqual([
    { type: "user", text: "x" },
  ]);
});
