// working_context_snapshot.json: compact, no newline at the end. Schema 1 in the first generation, exactly 3 in the second.
import type { Message, ToolCall } from "#lib/kernel/context/message.ts";
import type { MemorySnapshot } from "#lib/kernel/memory/types.ts";
import { asNumber, asText, asTexts, valueText } from "./json-value.ts";
import { isObject, readObject, type JsonObject } from "./lines.ts";
import type { Generation } from "./raw-trace.ts";

export const SCHEMA: Readonly<Record<Generation, number>> = { 1: 1, 2: 3 };

/** The number in a snapshot, whatever else is in it. */
export const schemaOf = (bytes: Buffer): number | null => asNumber(readObject(bytes)?.["schema_version"]);

/** The snapshot of a file, or why it is none. */
export function snapshotOf(bytes: Buffer, generation: Generation | null): MemorySnapshot | string {
  const value = readObject(bytes);
  if (value === null) return "It is no JSON object.";
  const schemaVersion = asNumber(value["schema_version"]);
  const agentId = asText(value["agent_id"]);
  const messages = value["messages"];
  if (schemaVersion === null) return "Its schema_version is no number.";
  if (generation === 2 && schemaVersion !== SCHEMA[2])
    return `Its schema_version is ${schemaVersion}, not ${SCHEMA[2]}.`;
  if (agentId === null) return "Its agent_id is no text.";
  if (!Array.isArray(messages)) return "Its messages are no list.";
  const odd = messages.findIndex((message) => !isObject(message) || typeof message["role"] !== "string");
  if (odd >= 0) return `Its message ${odd + 1} has no role.`;
  return {
    schemaVersion,
    agentId,
    epochId: asNumber(value["epoch_id"]) ?? 1,
    lastCompactionTs: asNumber(value["last_compaction_ts"]),
    messages: (messages as JsonObject[]).map(messageOf),
  };
}

export function snapshotText(snapshot: MemorySnapshot, generation: Generation): string {
  return valueText({
    schema_version: SCHEMA[generation],
    agent_id: snapshot.agentId,
    epoch_id: snapshot.epochId,
    last_compaction_ts: snapshot.lastCompactionTs,
    messages: snapshot.messages.map(messageRecord),
  });
}

function messageOf(value: JsonObject): Message {
  return {
    role: value["role"] as Message["role"],
    content: asText(value["content"]),
    reasoningContent: asText(value["reasoning_content"]),
    imageUrls: asTexts(value["image_urls"]) ?? [],
    audioUrls: asTexts(value["audio_urls"]) ?? [],
    videoUrls: asTexts(value["video_urls"]) ?? [],
    toolPayload: payloadOf(value["tool_payload"]),
  };
}

function payloadOf(value: unknown): Message["toolPayload"] {
  if (!isObject(value)) return null;
  if (Array.isArray(value["tool_calls"]))
    return {
      toolCalls: value["tool_calls"].filter(isObject).map((call) => {
        const { id, name, arguments: given, ...rest } = call;
        // What a provider's own code keeps with a call (nativeToolCallContext) is not looked into, and goes along.
        return { ...rest, id: asText(id) ?? "", name: asText(name) ?? "", arguments: given ?? {} };
      }),
    };
  if (!Object.hasOwn(value, "tool_call_id")) return null;
  return {
    toolCallId: asText(value["tool_call_id"]) ?? "",
    toolName: asText(value["tool_name"]) ?? "",
    toolResult: value["tool_result"] ?? null,
    toolError: asText(value["tool_error"]),
  };
}

const messageRecord = (message: Message) => ({
  role: message.role,
  content: message.content,
  reasoning_content: message.reasoningContent ?? null,
  image_urls: message.imageUrls ?? [],
  audio_urls: message.audioUrls ?? [],
  video_urls: message.videoUrls ?? [],
  tool_payload: payloadRecord(message.toolPayload),
});

function payloadRecord(payload: Message["toolPayload"]): unknown {
  if (payload === null) return null;
  if ("toolCalls" in payload) return { tool_calls: payload.toolCalls.map(callRecord) };
  return {
    tool_call_id: payload.toolCallId,
    tool_name: payload.toolName,
    tool_result: payload.toolResult ?? null,
    tool_error: payload.toolError ?? null,
  };
}

function callRecord(call: ToolCall): unknown {
  const { id, name, arguments: given, ...rest } = call;
  return { id, name, arguments: given, ...rest };
}
