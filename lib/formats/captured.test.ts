// Captured exchanges as events: a program's own session, and what a session of an agent gets. All is synthetic.
import { expect, test } from "vitest";
import type { CapturedExchange } from "#lib/kernel/captured-record.ts";
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { captured } from "./captured.ts";
import { answerBodies, messageBodies } from "./captured/captured-messages.ts";

const header = (session: object | null) => ({ captured: 1, id: "c-1", at: 1000, agent: "ada/1.2 (x)", session });
const exchange = (more: Partial<CapturedExchange>): CapturedExchange => ({
  exchange: 1,
  at: 2000,
  firstByteMs: 5,
  totalMs: 10,
  method: "POST",
  path: "/v1/messages",
  api: "messages",
  turn: null,
  purpose: null,
  model: "claude-x",
  headers: {},
  request: null,
  parts: [],
  newParts: [],
  messages: [],
  answer: { status: 200, headers: {}, text: null, message: null },
  notes: [],
  ...more,
});

function read(...lines: unknown[]): Draft[] {
  const bytes = lines.map((line) => new TextEncoder().encode(JSON.stringify(line)));
  const state = captured.start({ path: "a", head: bytes[0]!, sidecars: new Map() });
  return bytes.flatMap((one, i) => captured.parse({ bytes: one, byteStart: i, byteEnd: i + 1, line: i + 1 }, state));
}
const bodies = (drafts: readonly Draft[]): EventBody[] =>
  drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body] : []));
const said = (id: string, usage: object) => ({
  status: 200,
  headers: { "request-id": "req_1" },
  text: null,
  message: { id, content: [{ type: "text", text: "Yes." }], usage },
});

test("a program without a session gets its conversation, its frame and its calls", () => {
  const drafts = read(
    header(null),
    exchange({
      messages: [{ role: "user", content: "Ask" }],
      answer: said("msg_1", { input_tokens: 5, output_tokens: 2 }),
    }),
  );
  expect(bodies(drafts).map(({ type }) => type)).toEqual(["user", "meta", "assistant"]);
  expect(drafts.find(({ kind }) => kind === "call")).toMatchObject({
    key: "msg_1",
    usage: { inputUncached: 5, output: 2 },
  });
  expect(drafts).toContainEqual({ kind: "session", lane: "", patch: { title: "Ask" } });
  expect(drafts.find((draft) => draft.kind === "event" && draft.startsTurn)).toMatchObject({ body: { text: "Ask" } });
});

test("of an agent's session only what its file does not hold is told, under the names of its calls", () => {
  const tools = [{ key: "k1", tool: "Read", text: "{}" }];
  const of = (format: string, more: Partial<CapturedExchange>) =>
    read(header({ format, id: "11111111" }), exchange({ parts: ["k1"], newParts: tools, ...more }));
  const claude = of("claude-code", { answer: said("msg_1", { input_tokens: 5 }), messages: [] });
  expect(bodies(claude).map(({ type }) => type)).toEqual(["meta", "meta", "meta"]);
  expect(claude.find(({ kind }) => kind === "call")).toMatchObject({ key: "msg_1:req_1" });
  const codex = of("codex", { api: "responses", turn: "t1", answer: said("resp_1", { input_tokens: 5 }) });
  expect(codex.find(({ kind }) => kind === "call")).toMatchObject({ key: "g:t1:1" });
  expect(codex.find(({ kind }) => kind === "session")).toMatchObject({ patch: { parent: "11111111" } });
});

test("parts are told once, and a note says which stand when others come", () => {
  const part = (key: string) => ({ key, tool: key, text: key });
  const drafts = read(
    header(null),
    exchange({ parts: ["a", "b"], newParts: [part("a"), part("b")] }),
    exchange({ exchange: 2, parts: ["a", "b"] }),
    exchange({ exchange: 3, parts: ["a", "c"], newParts: [part("c")] }),
    exchange({ exchange: 4, parts: ["a", "b"] }),
  );
  const notes = bodies(drafts).flatMap((body) =>
    body.type === "meta" && body.parts !== undefined ? [body.parts] : [],
  );
  expect(notes).toEqual([
    ["a", "b"],
    ["a", "c"],
    ["a", "b"],
  ]);
});

test("the four providers' messages and usage are read", () => {
  const gemini = { functionCall: { name: "tides", args: { port: "Dover" } } };
  expect(messageBodies({ role: "model", parts: [{ text: "Hm", thought: true }, gemini] }, "gemini")).toMatchObject([
    { type: "reasoning", text: "Hm" },
    { type: "tool_call", toolName: "tides", input: { port: "Dover" } },
  ]);
  const chat = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", function: { name: "tides", arguments: '{"a":1}' } }],
  };
  expect(answerBodies({ choices: [{ message: chat }] }, "chat")).toMatchObject([{ toolCallId: "c1", input: { a: 1 } }]);
  expect(messageBodies({ role: "tool", tool_call_id: "c1", content: "12:40" }, "chat")).toMatchObject([
    { text: "12:40" },
  ]);
  expect(messageBodies({ type: "function_call_output", call_id: "c2", output: "9" }, "responses")).toMatchObject([
    { type: "tool_result", toolCallId: "c2", text: "9" },
  ]);
  const usedOf = (api: "chat" | "gemini" | "responses", message: object) =>
    read(
      header(null),
      exchange({ api, answer: { status: 200, headers: {}, text: null, message: { ...message } } }),
    ).flatMap((draft) => (draft.kind === "call" ? [draft.usage] : []));
  const details = { cached_tokens: 60, cache_write_tokens: 30 };
  const usage = { prompt_tokens: 100, prompt_tokens_details: details, completion_tokens: 5 };
  expect(usedOf("chat", { id: "c", usage })).toMatchObject([
    { inputUncached: 10, cacheRead: 60, cacheWrite: 30, output: 5 },
  ]);
  const counted = { promptTokenCount: 10, cachedContentTokenCount: 4, candidatesTokenCount: 3, thoughtsTokenCount: 2 };
  expect(usedOf("gemini", { responseId: "g", usageMetadata: counted })).toMatchObject([
    { inputUncached: 6, cacheRead: 4, output: 5, reasoning: 2 },
  ]);
  const input = { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 2 };
  expect(usedOf("responses", { id: "r", usage: input })).toMatchObject([{ inputUncached: 6, cacheRead: 4, output: 2 }]);
});

test("results of calls without an id find them in their order; what stands in tags is no title", () => {
  const call = (name: string) => ({ functionCall: { name, args: {} } });
  const output = (name: string, id: string) => ({ functionResponse: { id, name, response: { output: name } } });
  const drafts = read(
    header(null),
    exchange({
      api: "gemini",
      messages: [
        { role: "user", parts: [{ text: "<session_context>Linux</session_context>" }] },
        { role: "user", parts: [{ text: "Look around" }] },
      ],
      answer: {
        ...said("r", {}),
        message: {
          responseId: "r_1",
          candidates: [{ content: { parts: [call("ls"), call("cat")] } }],
          usageMetadata: {},
        },
      },
    }),
    exchange({
      exchange: 2,
      api: "gemini",
      messages: [{ role: "user", parts: [output("ls", "ls-17"), output("cat", "cat-18")] }],
    }),
  );
  const ids = bodies(drafts).flatMap((body) =>
    body.type === "tool_call" || body.type === "tool_result" ? [body.toolCallId] : [],
  );
  expect(ids).toEqual(["1.0", "1.1", "1.0", "1.1"]);
  expect(drafts).toContainEqual({ kind: "session", lane: "", patch: { title: "Look around" } });
});

test("a tier of OpenAI's, which stands beside its usage, is part of the call's model", () => {
  const { message, ...answer } = said("resp_1", { input_tokens: 5, output_tokens: 2 });
  const modelFor = (service_tier: string) =>
    read(
      header(null),
      exchange({ api: "responses", model: "gpt-5", answer: { ...answer, message: { ...message, service_tier } } }),
    ).flatMap((draft) => (draft.kind === "call" ? [draft.model] : []));
  expect(modelFor("flex")).toEqual(["gpt-5-flex"]);
  expect(modelFor("default")).toEqual(["gpt-5"]);
});
