// A Codex session that goes on in a new rollout: its first record under a new name, a `compacted` record with the summary as the
// whole history, and behind it what stays. Records keep their turns and ids, so that they are known as copies.
import {
  CONTINUES,
  NOT_FINISHED,
  type Continuation,
  type ContinuationInput,
  type ContinuationLine,
  type KeptRecord,
} from "#lib/kernel/continuation.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";
import { baseOf } from "./codex-state.ts";
import { injectedAs } from "./injected.ts";

export const codexContinuation: Continuation = {
  versions: ["0.169.0"],
  latest: [],
  notes: ["task_started", "turn_context", "world_state"],
  newSessionId: uuidOfTime,
  pathOf: (source, session) => {
    const root = /^(.*[\\/]sessions)[\\/]\d{4}[\\/]\d\d[\\/]\d\d[\\/][^\\/]+$/.exec(source)?.[1];
    if (root === undefined) return null;
    const separator = root.includes("\\") ? "\\" : "/";
    return [root, ...isoOf(session.at).slice(0, 10).split("-"), fileName(session)].join(separator);
  },
  refuses: (_, head) =>
    baseOf(asObject(asObject(head[0])["payload"])) === null ? null : "A part of its history is in another file.",
  fileName,
  resume: ({ id }) => ["codex", "resume", id],
  lines,
};

const isoOf = (at: number): string => new Date(at).toISOString();

function fileName({ id, at }: { readonly id: string; readonly at: number }): string {
  return `rollout-${isoOf(at).slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`;
}

/** Version 7: Codex reads the time of a session off its name. */
function uuidOfTime(at: number, _: string, random: string): string {
  const time = at.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-b${random.slice(3, 6)}-${random.slice(6, 18)}`;
}

function* lines(input: ContinuationInput): Generator<ContinuationLine> {
  let ordinal = 0;
  const hasOrdinal = asObject(input.head[0])["ordinal"] !== undefined;
  const line = (
    kind: ContinuationLine["kind"],
    value: Json,
    seqs: readonly number[] = [],
    note: string | null = null,
  ): ContinuationLine => ({
    kind,
    text: JSON.stringify(hasOrdinal ? { ...value, ordinal: ordinal++ } : value),
    seqs,
    note,
  });
  const timestamp = isoOf(input.at);
  const { timestamp: _, ...first } = asObject(input.head[0]);
  const { forked_from_id: _of, ...meta } = asObject(first["payload"]);
  const named = {
    id: input.id,
    ...(meta["session_id"] !== undefined && { session_id: input.id }),
    timestamp,
    [CONTINUES]: input.origin,
  };
  // The name stands at the beginning, where a reader finds it without the instructions.
  yield line("added", { timestamp, type: "session_meta", ...first, payload: { ...named, ...meta, ...named } });
  const records = inOrder(input.records);
  const { summary } = input;
  if (summary !== null) {
    const start = records.findIndex(({ value }) => !isInstruction(value));
    // Behind its last message come the client's records of the turn that stays.
    const end = records
      .slice(0, start < 0 ? records.length : start)
      .findLastIndex(({ value }) => itemOf(value) !== null);
    const before = records.splice(0, end + 1);
    // What the client compares the state of the world with stands behind the compaction, or it would tell it again.
    records.unshift(...before.filter(({ value }) => asObject(value)["type"] === "world_state"));
    const told = before.filter(({ value }) => asObject(value)["type"] !== "world_state");
    for (const { value, seqs } of told) yield line("kept", asObject(value), seqs);
    const said = { type: "message", role: "user", content: [{ type: "input_text", text: summary }] };
    const history = [...told.flatMap(({ value }) => itemOf(value) ?? []), said];
    yield line("summary", {
      timestamp,
      type: "compacted",
      // Codex writes no trigger, and leaves alone what it does not know. Without one it would count as Codex's own.
      payload: { message: summary, replacement_history: history, trigger: "manual" },
    });
  }
  const open = new Map<string, string>();
  for (const record of records) {
    const value = asObject(record.value);
    if (value["type"] === "session_meta") continue;
    const payload = asObject(value["payload"] ?? value);
    const type = asText(payload["type"]) ?? "";
    const callId = asText(payload["call_id"]) ?? "";
    const isResult = type.endsWith("_output") && callId !== "";
    if (isResult && !open.delete(callId)) continue;
    if (isPrompt(payload)) yield* closing();
    if (callId !== "" && /_call$/.test(type)) open.set(callId, type);
    const text = isResult ? record.replaced.get(callId) : undefined;
    if (text === undefined) yield line("kept", value, record.seqs);
    else yield line("replaced", withOutput(value, text), record.seqs);
  }
  yield* closing();

  /** Each call has one result, or the provider refuses the request. */
  function* closing(): Generator<ContinuationLine> {
    for (const [callId, type] of open) {
      const payload = { type: `${type}_output`, call_id: callId, output: NOT_FINISHED };
      yield line("closed", { timestamp, type: "response_item", payload }, [], NOT_FINISHED);
    }
    open.clear();
  }
}

/** A message as a history holds it; null for a record of the client. */
function itemOf(value: unknown): Json | null {
  const { type, payload } = asObject(value);
  const { internal_chat_message_metadata_passthrough: _beside, ...item } = asObject(payload);
  return type === "response_item" && item["type"] === "message" ? item : null;
}

/** What the client says before the conversation begins: developer messages, the environment, and its own records. */
function isInstruction(value: unknown): boolean {
  const item = itemOf(value);
  if (item === null) return asObject(value)["type"] !== "response_item";
  const texts = asArray(item["content"]).map((block) => asText(asObject(block)["text"]));
  return (
    item["role"] === "developer" ||
    (item["role"] === "user" && texts.every((text) => text !== null && injectedAs(text) !== null))
  );
}

const isPrompt = (payload: Json): boolean => payload["type"] === "message" && payload["role"] === "user";

/** In the order of the file; what stands before a compaction is in its history. */
function inOrder(records: Iterable<KeptRecord>): KeptRecord[] {
  const all = [...records].toSorted((a, b) => (a.seqs[0] ?? 0) - (b.seqs[0] ?? 0));
  const last = all.findLastIndex(({ value }) => asObject(value)["type"] === "compacted");
  return all.filter(({ value }, i) => i >= last || asObject(value)["type"] !== "response_item");
}

function withOutput(value: Json, text: string): Json {
  const payload = asObject(value["payload"] ?? value);
  const images = asArray(payload["output"]).filter((part) => asObject(part)["type"] === "input_image");
  const output = images.length === 0 ? text : [{ type: "input_text", text }, ...images];
  const changed = { ...payload, output };
  return value["payload"] === undefined ? changed : { ...value, payload: changed };
}
