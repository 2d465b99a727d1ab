// A kept context as JSON, field names as in the design's files, and back. What cannot be JSON is written as its text;
// what is not a snapshot is null, and its reader rebuilds the context from memory.
import type { Message, ToolCall } from "../context/message.ts";
import { textOfValue } from "../artifacts/pointer.ts";
import type { MemorySnapshot } from "./memory-types.ts";

type Json = Record<string, unknown>;

/** Plain JSON values, in the order of keys that the design's writers have. */
export function serializeSnapshot(snapshot: MemorySnapshot): Json {
  return {
    schema_version: snapshot.schemaVersion,
    agent_id: snapshot.agentId,
    epoch_id: snapshot.epochId,
    last_compaction_ts: snapshot.lastCompactionTs,
    messages: snapshot.messages.map(messageJson),
  };
}

function messageJson(message: Message): Json {
  return {
    role: message.role,
    content: message.content,
    reasoning_content: message.reasoningContent ?? null,
    image_urls: message.imageUrls ?? [],
    audio_urls: message.audioUrls ?? [],
    video_urls: message.videoUrls ?? [],
    tool_payload: payloadJson(message),
    // Not in the design: without it, calls of an answer that broke off would be taken for calls that were made.
    ...(message.stopReason !== undefined && { stop_reason: message.stopReason }),
  };
}

function payloadJson({ toolPayload }: Message): Json | null {
  if (toolPayload === null) return null;
  if ("toolCalls" in toolPayload)
    return {
      tool_calls: toolPayload.toolCalls.map(({ id, name, arguments: args, nativeToolCallContext }) => ({
        id,
        name,
        arguments: jsonValue(args),
        ...(nativeToolCallContext !== undefined && { nativeToolCallContext: jsonValue(nativeToolCallContext) }),
      })),
    };
  return {
    tool_call_id: toolPayload.toolCallId,
    tool_name: toolPayload.toolName,
    tool_result: jsonValue(toolPayload.toolResult),
    tool_error: toolPayload.toolError,
  };
}

/** The value where JSON can say it, else its text. */
function jsonValue(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  try {
    return JSON.stringify(value) === undefined ? textOfValue(value) : value;
  } catch {
    return textOfValue(value);
  }
}

export type SnapshotRules = {
  /** The one schema version that is valid; any number is without it. */
  readonly schemaVersion?: number;
};

/** Whether a JSON value is a snapshot: a schema version, an agent, and messages that each have a role. */
export function validateSnapshot(value: unknown, { schemaVersion }: SnapshotRules = {}): boolean {
  if (!isObject(value) || typeof value.schema_version !== "number" || typeof value.agent_id !== "string") return false;
  if (schemaVersion !== undefined && value.schema_version !== schemaVersion) return false;
  return (
    Array.isArray(value.messages) &&
    value.messages.every((message) => isObject(message) && typeof message.role === "string")
  );
}

/** The snapshot of a JSON value; null when it is none. Fields that are missing or odd are taken as empty. */
export function deserializeSnapshot(value: unknown, rules: SnapshotRules = {}): MemorySnapshot | null {
  if (!validateSnapshot(value, rules)) return null;
  const json = value as Json;
  const epochId = Number(json.epoch_id);
  return {
    agentId: json.agent_id as string,
    schemaVersion: json.schema_version as number,
    epochId: Number.isInteger(epochId) && epochId >= 1 ? epochId : 1,
    lastCompactionTs: typeof json.last_compaction_ts === "number" ? json.last_compaction_ts : null,
    messages: (json.messages as Json[]).map(messageOf),
  };
}

const ROLES = new Set<unknown>(["system", "user", "assistant", "tool"]);

function messageOf(json: Json): Message {
  const urls = (of: unknown): readonly string[] =>
    Array.isArray(of) ? of.filter((one): one is string => typeof one === "string") : [];
  return {
    // A role that no provider has goes on as the user's: nothing is dropped, and nothing gains a voice.
    role: ROLES.has(json.role) ? (json.role as Message["role"]) : "user",
    content: typeof json.content === "string" ? json.content : null,
    reasoningContent: typeof json.reasoning_content === "string" ? json.reasoning_content : null,
    imageUrls: urls(json.image_urls),
    audioUrls: urls(json.audio_urls),
    videoUrls: urls(json.video_urls),
    toolPayload: payloadOf(json.tool_payload),
    ...(typeof json.stop_reason === "string" && { stopReason: json.stop_reason }),
  };
}

function payloadOf(json: unknown): Message["toolPayload"] {
  if (!isObject(json)) return null;
  if (Array.isArray(json.tool_calls)) return { toolCalls: json.tool_calls.filter(isObject).map(callOf) };
  if (typeof json.tool_call_id !== "string") return null;
  return {
    toolCallId: json.tool_call_id,
    toolName: typeof json.tool_name === "string" ? json.tool_name : "",
    toolResult: json.tool_result ?? null,
    toolError: typeof json.tool_error === "string" ? json.tool_error : null,
  };
}

const callOf = (json: Json): ToolCall => ({
  id: typeof json.id === "string" ? json.id : "",
  name: typeof json.name === "string" ? json.name : "",
  arguments: json.arguments ?? {},
  ...(json.nativeToolCallContext !== undefined && { nativeToolCallContext: json.nativeToolCallContext }),
});

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
