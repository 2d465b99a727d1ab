// A Claude Code session that goes on in a new file. The records that stay keep their ids, as in a fork that the client makes, so
// that nothing counts twice; the chain of parents is made anew. Behind a summary stand the client's boundary and its announcements,
// in the order in which it writes them when it compacts.
import type { Continuation, ContinuationInput, ContinuationLine, KeptRecord } from "#lib/kernel/continuation.ts";
import { CONTINUES, NOT_FINISHED } from "#lib/kernel/continuation.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";
import { baseName } from "./claude-state.ts";

export const claudeContinuation: Continuation = {
  versions: ["2.1.330"],
  latest: ["session_context", "date", "environment", "model", "instructions", "remote_session_change"],
  notes: [],
  newSessionId: (_, uuid) => uuid,
  pathOf: (source, { id }) => {
    const folder = source.slice(0, source.length - baseName(source).length);
    return /[\\/]projects[\\/][^\\/]+[\\/]$/.test(folder) ? `${folder}${id}.jsonl` : null;
  },
  fileName: ({ id }) => `${id}.jsonl`,
  resume: ({ id, path, isFound }) => ["claude", "--resume", isFound ? id : path],
  lines,
};

type State = {
  readonly input: ContinuationInput;
  /** The record before. */
  parent: string | null;
  /** What every record of the session says of its client. */
  base: Json;
  /** Calls without a result so far, with the record that asked. */
  readonly open: Map<string, string>;
  answer: string | null;
  /** Something before is shorter than what the answers were made of. */
  isShorter: boolean;
};

function* lines(input: ContinuationInput): Generator<ContinuationLine> {
  const { id, title, origin, summary } = input;
  yield added({ type: "custom-title", customTitle: title, sessionId: id, [CONTINUES]: origin });
  const state: State = { input, parent: null, base: {}, open: new Map(), answer: null, isShorter: summary !== null };
  let isBegun = false;
  for (const record of input.records) {
    const value = asObject(record.value);
    if (!isBegun) {
      isBegun = true;
      state.base = clientOf(value);
      if (summary !== null) yield* summaryLines(state, summary, asText(value["parentUuid"]));
    }
    yield* keptLines(state, record, value);
  }
  if (!isBegun && summary !== null) yield* summaryLines(state, summary, null);
  yield* closed(state);
}

const clientOf = ({ userType, entrypoint, cwd, version, gitBranch }: Json): Json =>
  Object.fromEntries(
    Object.entries({ userType, entrypoint, cwd, version, gitBranch }).filter(([, value]) => value !== undefined),
  );

const line = (
  kind: ContinuationLine["kind"],
  value: Json,
  seqs: readonly number[] = [],
  note: string | null = null,
): ContinuationLine => ({ kind, text: JSON.stringify(value), seqs, note });
const added = (value: Json, note: string | null = null): ContinuationLine => line("added", value, [], note);

/** A record of the new session's own, behind the one before. */
function own(state: State, value: Json): Json {
  const uuid = state.input.newId();
  const made = {
    parentUuid: state.parent,
    isSidechain: false,
    ...state.base,
    sessionId: state.input.id,
    ...value,
    uuid,
    timestamp: new Date(state.input.at).toISOString(),
  };
  state.parent = uuid;
  return made;
}

function* summaryLines(state: State, summary: string, logicalParent: string | null): Generator<ContinuationLine> {
  const boundary = own(state, {
    logicalParentUuid: logicalParent,
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    level: "info",
    isMeta: false,
    compactMetadata: { trigger: "manual", preTokens: state.input.tokensBefore },
  });
  yield added(boundary, "The boundary of a compaction.");
  const message = { role: "user", content: summary };
  const record = own(state, { type: "user", message, isVisibleInTranscriptOnly: true, isCompactSummary: true });
  yield line("summary", record);
}

function* keptLines(state: State, record: KeptRecord, value: Json): Generator<ContinuationLine> {
  const type = value["type"];
  const content = asArray(asObject(value["message"])["content"]);
  const results = content.filter((block) => asObject(block)["type"] === "tool_result").map(asObject);
  const answer = asText(asObject(value["message"])["id"]);
  const goesOn = results.length > 0 || type === "attachment" || (type === "assistant" && answer === state.answer);
  if (!goesOn) yield* closed(state);
  if (type === "assistant") {
    state.answer = answer;
    for (const block of content.map(asObject))
      if (block["type"] === "tool_use") state.open.set(asText(block["id"]) ?? "", asText(value["uuid"]) ?? "");
  }
  const known = results.filter(({ tool_use_id: id }) => state.open.has(asText(id) ?? ""));
  const orphans = results.length - known.length;
  if (results.length > 0 && known.length === 0) return;
  for (const { tool_use_id: id } of known) state.open.delete(asText(id)!);
  const copy: Json = { ...value, parentUuid: state.parent, sessionId: state.input.id };
  const notes: string[] = [];
  if (orphans > 0) {
    copy["message"] = { ...asObject(value["message"]), content: content.filter((block) => !isOrphan(block, known)) };
    notes.push(`${orphans} ${orphans === 1 ? "result" : "results"} without a call left out`);
  }
  const isReplaced = results.length > 0 && replaceOutputs(copy, record.replaced);
  if (type === "system") withoutKept(copy);
  state.isShorter ||= isReplaced;
  if (type === "assistant" && state.isShorter) copy["message"] = withoutUsage(asObject(copy["message"]));
  state.parent = asText(value["uuid"]) ?? state.parent;
  const kind = isReplaced ? "replaced" : notes.length > 0 ? "changed" : "kept";
  yield line(kind, copy, record.seqs, notes.length > 0 ? `${notes.join("; ")}.` : null);
}

const isOrphan = (block: unknown, known: readonly Json[]): boolean =>
  asObject(block)["type"] === "tool_result" && !known.includes(asObject(block));

/** A copied boundary begins the file's context: what it kept stands behind it. */
function withoutKept(copy: Json): void {
  if (copy["subtype"] !== "compact_boundary") return;
  const { preservedMessages: _, preservedSegment: __, ...meta } = asObject(copy["compactMetadata"]);
  copy["compactMetadata"] = meta;
  copy["parentUuid"] = null;
}

/** The client takes the last answer's usage for the size of its context, and would compact at once. */
function withoutUsage(message: Json): Json {
  if (!isObject(message["usage"])) return message;
  const sent = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
  const { cache_creation: _, iterations: __, ...usage } = message["usage"];
  return { ...message, usage: { ...usage, ...Object.fromEntries(sent.map((key) => [key, 0])) } };
}

function replaceOutputs(copy: Json, replaced: KeptRecord["replaced"]): boolean {
  const message = asObject(copy["message"]);
  let isChanged = false;
  const content = asArray(message["content"]).map((block) => {
    const one = asObject(block);
    const text = one["type"] === "tool_result" ? replaced.get(asText(one["tool_use_id"]) ?? "") : undefined;
    if (text === undefined) return block;
    isChanged = true;
    const images = asArray(one["content"]).filter((part) => asObject(part)["type"] === "image");
    const shown = images.length === 0 ? text : [{ type: "text", text }, ...images];
    copy["toolUseResult"] = shorter(copy["toolUseResult"], text);
    return { ...one, content: shown };
  });
  if (isChanged) copy["message"] = { ...message, content };
  if (copy["toolUseResult"] === undefined) delete copy["toolUseResult"];
  return isChanged;
}

/** What the client shows of a result, in the tool's own form with the envelope as its text. */
function shorter(result: unknown, text: string): unknown {
  if (typeof result === "string") return text;
  if (!isObject(result)) return undefined;
  if (typeof result["stdout"] === "string") return { ...result, stdout: text, stderr: "" };
  if (isObject(result["file"]) && typeof result["file"]["content"] === "string")
    return { ...result, file: { ...result["file"], content: text } };
  return undefined;
}

/** Each call has one result, or the provider refuses the request. */
function* closed(state: State): Generator<ContinuationLine> {
  for (const [toolCall, asked] of state.open) {
    const result = { type: "tool_result", tool_use_id: toolCall, content: NOT_FINISHED, is_error: true };
    const record = own(state, {
      type: "user",
      message: { role: "user", content: [result] },
      toolUseResult: `Error: ${NOT_FINISHED}`,
      sourceToolAssistantUUID: asked,
    });
    yield line("closed", record, [], NOT_FINISHED);
  }
  state.open.clear();
}
