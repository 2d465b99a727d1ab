import { describe, expect, it } from "vitest";
import { joinedAnswer } from "./joined-answer.ts";

const chunk = (delta: object, more: object = {}) => ({ id: "c1", choices: [{ index: 0, delta }], ...more });
const called = (name: string | undefined, text: string) =>
  chunk({ tool_calls: [{ index: 0, id: "call_1", function: { name, arguments: text } }] });

describe("a streamed answer as one", () => {
  it("of a chat: texts are appended, the first choice alone counts, the last count holds", () => {
    const beside = { index: 1, delta: { content: "another" } };
    const answer = joinedAnswer("chat", [
      { ...chunk({ role: "assistant", content: "Hel" }), object: "chat.completion.chunk" },
      { id: "c1", choices: [beside, { index: 0, delta: { content: "lo" }, finish_reason: "stop" }] },
      { id: "c1", choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
      { id: "c1", choices: [], usage: null },
    ]);
    expect(answer).toEqual({
      id: "c1",
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
  });

  it.each([
    ["once", ["read", undefined]],
    ["again with each piece", ["read", "read"]],
    ["in pieces", ["re", "ad"]],
    ["empty later", ["read", ""]],
  ])("of a chat: the name of a tool comes %s", (_, [first, second]) => {
    const answer = joinedAnswer("chat", [called(first, '{"a"'), called(second, ":1}")]);
    expect(answer?.["choices"]).toMatchObject([
      { message: { tool_calls: [{ id: "call_1", function: { name: "read", arguments: '{"a":1}' } }] } },
    ]);
  });

  it("of a chat: calls without an index, of which the first piece has the id", () => {
    const piece = (id: string | undefined, name: string | undefined, text: string) =>
      chunk({ tool_calls: [{ id, function: { name, arguments: text } }] });
    const answer = joinedAnswer("chat", [
      piece("a", "read", "{"),
      piece(undefined, undefined, "}"),
      piece("b", "ls", "{}"),
    ]);
    expect(answer?.["choices"]).toMatchObject([
      { message: { tool_calls: [{ function: { name: "read", arguments: "{}" } }, { function: { name: "ls" } }] } },
    ]);
  });

  it("of Messages: blocks by their index, inputs as values, the counts and the reason of its end", () => {
    const answer = joinedAnswer("messages", [
      { type: "message_start", message: { id: "m", content: [], stop_reason: null, usage: { input_tokens: 9 } } },
      { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "t", name: "read", input: {} } },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"a":' } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "So" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "1}" } },
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use" },
        usage: { output_tokens: 4, cache_read_input_tokens: null },
      },
    ]);
    expect(answer).toEqual({
      id: "m",
      content: [
        { type: "thinking", thinking: "So", signature: "sig" },
        { type: "tool_use", id: "t", name: "read", input: { a: 1 } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 9, output_tokens: 4 },
    });
  });

  it("of Messages that name no index: a block after the other", () => {
    const text = (type: string, words: string) => ({ type, ...{ delta: { type: "text_delta", text: words } } });
    const start = { type: "content_block_start", content_block: { type: "text", text: "" } };
    const answer = joinedAnswer("messages", [
      { type: "message_start", message: {} },
      ...[start, text("content_block_delta", "one"), start, text("content_block_delta", "two")],
    ]);
    expect(answer?.["content"]).toEqual([
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ]);
  });

  it("of Responses that was cut: items that ended, and the words of those that did not", () => {
    const answer = joinedAnswer("responses", [
      { type: "response.created", response: { id: "r", object: "response", output: [] } },
      { type: "response.output_item.done", output_index: 0, item: { type: "reasoning", summary: [] } },
      { type: "response.output_item.added", output_index: 1, item: { type: "function_call", name: "read" } },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: '{"a"' },
      { type: "response.output_text.delta", output_index: 2, delta: "On" },
      { type: "response.output_text.delta", output_index: 2, delta: "ly" },
    ]);
    expect(answer).toEqual({
      id: "r",
      object: "response",
      output: [
        { type: "reasoning", summary: [] },
        { type: "function_call", name: "read", arguments: '{"a"' },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Only" }] },
      ],
    });
  });

  it("of a generated content: the parts of all, and the last counts", () => {
    const part = (text: string, total: number) => ({
      candidates: [{ content: { parts: [{ text }] } }],
      usageMetadata: { totalTokenCount: total },
    });
    expect(joinedAnswer("gemini", [part("a", 1), part("b", 2)])).toEqual({
      candidates: [{ content: { role: "model", parts: [{ text: "a" }, { text: "b" }] } }],
      usageMetadata: { totalTokenCount: 2 },
    });
  });

  it("of nothing is none, and a lone error is the answer", () => {
    for (const api of ["messages", "responses", "chat", "gemini"] as const) expect(joinedAnswer(api, [])).toBeNull();
    expect(joinedAnswer("messages", [{ type: "error", error: { message: "Overloaded" } }])).toMatchObject({
      type: "error",
    });
  });
});
