// Lists of messages as logs really hold them, and worse: ids used again, too long or of odd signs; results before, without
// or twice for their call; values that are no objects; half surrogate pairs; media of every kind; items of providers.
import fc from "fast-check";
import type { Message, ToolCall } from "../message.ts";

export const said = (role: Message["role"], content: string | null, more: Partial<Message> = {}): Message => ({
  role,
  content,
  toolPayload: null,
  ...more,
});
export const call = (id: string, name: string, given: unknown, native?: unknown): ToolCall => ({
  id,
  name,
  arguments: given,
  ...(native !== undefined && { nativeToolCallContext: native }),
});
export const calling = (content: string | null, ...toolCalls: ToolCall[]): Message => ({
  role: "assistant",
  content,
  toolPayload: { toolCalls },
});
export const result = (toolCallId: string, toolName: string, toolResult: unknown, error?: string): Message => ({
  role: "tool",
  content: null,
  toolPayload: { toolCallId, toolName, toolResult, toolError: error ?? null },
});

export const PNG = "data:image/png;base64,aW1hZ2U=";
export const WAV = "data:audio/wav;base64,ZmFrZQ==";

const ids = ["call_1", "call_1", "call_2", "call:3/x", "call 3 x", "é", "x".repeat(80), `${"x".repeat(79)}y`, ""];
const id = fc.constantFrom(...ids);
const name = fc.constantFrom("run", "read_file", " run ", "no such name!", "");
const text = fc.oneof(
  fc.constantFrom("", " ", "\n", "Hello", "\ud800 half", "Error: boom", "[TOOL_CALL] run {}"),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const value = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, undefined, 0, false, 1n, Number.NaN, [], {}, { path: "src" }, ["app.py"], '{"a":1}'),
  fc.jsonValue({ maxDepth: 3 }),
);
const media = fc.constantFrom(
  PNG,
  WAV,
  "data:image/png;base64,",
  "data:image/svg+xml,%3Csvg/%3E",
  "data:nothing",
  "https://example.org/a.webp",
  "http://example.org/a.mp4",
  "/tmp/a.png",
  "art:0f0e0d0c",
);

const CAPTURED_WORDS = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "I look.", annotations: [] }],
};
const native = fc.option(
  fc.oneof(
    fc.constant({ provider: "anthropic", toolUseBlock: { type: "tool_use", id: "call_1", name: "run", input: {} } }),
    fc.constant({
      provider: "anthropic",
      messageContent: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "thinking", thinking: "unsigned" },
        { type: "redacted_thinking", data: "c2VhbGVk" },
        { type: "tool_use", id: "call_1", name: "run", input: {} },
      ],
    }),
    fc.constant({ provider: "gemini", functionCallPart: { functionCall: { name: "run" }, thoughtSignature: "c2ln" } }),
    fc.array(id, { maxLength: 3 }).map((request) => ({
      provider: "gemini",
      modelContent: {
        role: "model",
        parts: [
          { text: "thinking", thought: true },
          ...request.map((one) => ({ functionCall: { id: one, name: "run", args: {} }, thoughtSignature: "c2ln" })),
        ],
      },
    })),
    fc.array(id, { maxLength: 3 }).map((request) => ({
      provider: "openai_responses",
      responseOutputItems: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e" },
        ...(request.length === 1 ? [CAPTURED_WORDS] : []),
        ...request.map((one) => ({ type: "function_call", id: "fc_1", call_id: one, name: "run", arguments: "" })),
        { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "e" },
      ],
    })),
    fc.constant({ provider: "openai_responses", functionCallItem: { type: "function_call", id: "call_1" } }),
    fc.constant("opaque"),
  ),
  { nil: undefined },
);

const someMedia = fc.record(
  {
    imageUrls: fc.array(media, { maxLength: 2 }),
    audioUrls: fc.array(media, { maxLength: 1 }),
    videoUrls: fc.array(media, { maxLength: 1 }),
    reasoningContent: text,
  },
  { requiredKeys: [] },
);

const message: fc.Arbitrary<Message> = fc.oneof(
  fc
    .record({ role: fc.constantFrom("system", "user", "assistant"), content: text, more: someMedia })
    .map(({ role, content, more }) => said(role as Message["role"], content, more)),
  fc
    .record({
      content: fc.option(text),
      calls: fc.array(
        fc.record({ id, name, given: value, native }).map((one) => call(one.id, one.name, one.given, one.native)),
        { maxLength: 3 },
      ),
      stopReason: fc.constantFrom("stop", "aborted"),
      more: someMedia,
    })
    .map(({ content, calls, stopReason, more }) => ({ ...calling(content, ...calls), stopReason, ...more })),
  fc
    .record({ id, name, value, error: fc.option(text, { nil: undefined }), more: someMedia })
    .map(({ more, ...one }) => ({ ...result(one.id, one.name, one.value, one.error), ...more })),
);

export const anyMessages: fc.Arbitrary<Message[]> = fc.array(message, { maxLength: 14 });
