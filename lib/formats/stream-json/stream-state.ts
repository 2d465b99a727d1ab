// What the parser of printed sessions remembers between records. Nothing in it grows with the session.
import { areRecordsOf, firstRecords } from "../first-records.ts";
import { asText, isObject, type Json } from "../json.ts";

export type StreamState = {
  /** The session that the file begins with. A file that was appended to holds others too. */
  id: string | null;
  /** The agent that printed it: its sessions are named as in its own files. */
  agent: "claude-code" | "qwen" | "droid" | "gemini" | "stream-json";
  /** Sub-agents and further sessions that were introduced, the last ones. */
  introduced: readonly string[];
  /** Calls that started a sub-agent, each with the lane it stands in. */
  starters: readonly (readonly [toolCallId: string, lane: string, kind: string | null])[];
  /** Lanes that have a title: their prompt, or their first words where the prompt is not printed. */
  titled: readonly string[];
  /** By lane: the model that was told last. */
  models: Record<string, string>;
  /** By lane: the call whose answer was printed last. */
  open: Record<string, string>;
  /** Where texts and calls are records of their own: the answer that they are of, and the thought that was printed last. */
  answer?: string | null;
  thought?: string | null;
};

/** Lanes that are remembered at once. */
export const LANES = 32;

const TYPES: ReadonlySet<string> = new Set(["system", "assistant", "user", "result", "stream_event", "init"]);

/** Types of records that name no session, as Gemini CLI prints them. */
const PLAIN: ReadonlySet<string> = new Set(["message", "tool_use", "tool_result", "error", "result"]);

/** A whole record, and no piece of one. */
export const isPrinted = (value: unknown): boolean =>
  isStreamRecord(value) ||
  (isObject(value) &&
    (asText(value["session_id"]) !== null || PLAIN.has(asText(value["type"]) ?? "")) &&
    asText(value["type"]) !== null &&
    value["timestamp"] !== undefined &&
    value["sessionId"] === undefined);

/** A record of the stream; a record of a transcript has `sessionId`. */
export const isStreamRecord = (value: unknown): boolean =>
  isObject(value) &&
  TYPES.has(asText(value["type"]) ?? "") &&
  asText(value["session_id"]) !== null &&
  value["sessionId"] === undefined;

/** Of a file whose first line is gone: records that name their session, or those that Gemini CLI prints. */
export const isStreamPart = (head: Uint8Array): boolean =>
  areRecordsOf(head, (one) => namesSession(one) || isPrinted(one), isOwnRecord);

const namesSession = (record: Json): boolean =>
  asText(record["session_id"]) !== null && record["sessionId"] === undefined;

function isOwnRecord(record: Json): boolean {
  const { type, status, stats, parameters } = record;
  if (namesSession(record))
    return (
      isStreamRecord(record) || /^(?:tool_call|tool_result|reasoning|completion|message)$/.test(asText(type) ?? "")
    );
  if (asText(record["tool_id"]) !== null)
    return (type === "tool_use" && isObject(parameters)) || (type === "tool_result" && status !== undefined);
  return type === "result" ? isObject(stats) : type === "message" && record["delta"] === true;
}

export const startStream = (first: Json | null, head: Uint8Array): StreamState => ({
  id: asText(first?.["session_id"]),
  agent: first === null ? agentOfPart(head) : agentOf(first, head),
  introduced: [],
  starters: [],
  titled: [],
  models: {},
  open: {},
});

/** Records that Droid alone prints behind such a first one. */
const DROID = /^\{"type":"(?:message|reasoning|completion)"/m;

/** Other agents print such records too: their sessions have names of their own. */
function agentOf(first: Json, head: Uint8Array): StreamState["agent"] {
  if ("qwen_code_version" in first) return "qwen";
  if (first["type"] === "init") return "gemini";
  if ("reasoning_effort" in first || DROID.test(new TextDecoder().decode(head))) return "droid";
  const isInit = first["subtype"] === "init";
  return !isInit || "claude_code_version" in first || "slash_commands" in first ? "claude-code" : "stream-json";
}

function agentOfPart(head: Uint8Array): StreamState["agent"] {
  if (!firstRecords(head).some((record) => asText(record["session_id"]) !== null)) return "gemini";
  return DROID.test(new TextDecoder().decode(head)) ? "droid" : "stream-json";
}

/** The lane of a record: a sub-agent's is named by the call that started it, another session's by its id. */
export function streamLane(record: Json, state: StreamState): string {
  const starter = asText(record["parent_tool_use_id"]);
  if (starter !== null && starter !== "") return starter;
  const id = asText(record["session_id"]);
  state.id ??= id;
  return id === null || id === state.id ? "" : id;
}

/** Sets a key of a small map; the oldest goes where it holds too many. */
export function remember(map: Record<string, string>, key: string, value: string): void {
  delete map[key];
  map[key] = value;
  const keys = Object.keys(map);
  if (keys.length > LANES) delete map[keys[0]!];
}
