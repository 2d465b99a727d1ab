// What the parser of Qwen Code's chats remembers between records. Nothing in it grows with the session.
import type { SourceFile } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";

export type QwenState = {
  id: string | null;
  readonly agentId: string | null;
  /** Of a sub-agent: the call that started it, what for, and the model, which its records do not name. */
  readonly launched: {
    readonly toolCallId: string | null;
    readonly title: string | null;
    readonly model: string | null;
  };
  named: boolean;
  hasTitle: boolean;
  version: string | null;
  model: string | null;
  /** The record that was read last, and one beside the tree that was written behind it. */
  tip: string | null;
  side: string | null;
  /** The record before the first one, until that was read: it is in another part of the file. */
  before: string | null;
  /** Answers that telemetry told of and no record has shown yet: id, prompt and total, and the record that told. */
  told: readonly (readonly [string, number, number, string | null])[];
  /** A sub-agent writes an answer in several records. */
  call: string | null;
  /** The last messages by what they say: a compaction repeats those that it keeps. */
  recent: readonly (readonly [string, readonly string[]])[];
};

const NOT_TOLD = { toolCallId: null, title: null, model: null };

export function startQwen(file: SourceFile): QwenState {
  const first = firstQwenRecord(file.head);
  const before = file.before as Partial<QwenState> | undefined;
  const agentId = asText(first?.["agentId"]);
  const launched = launchOf(file.sidecars.get(metaPath(file.path))) ?? before?.launched;
  return {
    id: asText(first?.["sessionId"]),
    agentId,
    launched: launched ?? NOT_TOLD,
    named: false,
    hasTitle: false,
    version: null,
    model: launched?.model ?? null,
    tip: null,
    side: null,
    before: null,
    told: [],
    call: null,
    recent: [],
  };
}

/** Beside a sub-agent's file stands what it was started with. */
export const metaPath = (path: string): string => path.replace(/\.jsonl$/, ".meta.json");

function launchOf(text: string | undefined): QwenState["launched"] | null {
  if (text === undefined) return null;
  try {
    const meta = asObject(JSON.parse(text));
    const model = asText(meta["model"]) ?? asText(asObject(meta["persistedCliFlags"])["model"]);
    return { toolCallId: asText(meta["toolUseId"]), title: asText(meta["description"]), model };
  } catch {
    return null;
  }
}

/** Told from Claude Code's, whose messages have `content`: here they have `parts`, and notes a `systemPayload`. */
export function isQwenRecord(value: unknown): value is Json {
  if (!isObject(value)) return false;
  if (asText(value["sessionId"]) === null || asText(value["uuid"]) === null) return false;
  const message = asObject(value["message"]);
  if (Array.isArray(message["content"]) || typeof message["content"] === "string") return false;
  return "provenance" in value || Array.isArray(message["parts"]) || "systemPayload" in value;
}

/** The first of the first lines that is a record; one that is longer than the head is known by its beginning. */
export function firstQwenRecord(head: Uint8Array): Json | null {
  const lines = new TextDecoder().decode(head).split("\n").slice(0, 20);
  for (const line of lines) {
    try {
      const value: unknown = JSON.parse(line);
      if (isQwenRecord(value)) return value;
    } catch {
      if (/"uuid":"/.test(line) && /"message":\{"(?:role":"\w+",")?parts":\[|"systemPayload":/.test(line))
        return cutRecord(line);
    }
  }
  return null;
}

/** What the beginning of a long record says of its session. */
const cutRecord = (line: string): Json => ({
  sessionId: /"sessionId":"([^"\\]{1,100})"/.exec(line.slice(0, 4000))?.[1] ?? null,
  agentId: /"agentId":"([^"\\]{1,100})"/.exec(line.slice(0, 4000))?.[1] ?? null,
});

export const partsIn = (record: Json): Json[] => asArray(asObject(record["message"])["parts"]).map(asObject);
