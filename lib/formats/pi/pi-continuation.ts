// A pi session that goes on in a new file: a header under a new name, the old file's first entry (by which copies of entries are known),
// what stays as one chain, and at its end a compaction, as pi writes one itself.
import {
  CONTINUES,
  lineOf,
  NOT_FINISHED,
  type Continuation,
  type ContinuationInput,
  type ContinuationLine,
} from "#lib/kernel/continuation.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";

const NOTES = ["model_change", "thinking_level_change"];

export const piContinuation: Continuation = {
  versions: ["0.73.1"],
  latest: NOTES,
  notes: [],
  newSessionId: (_, uuid) => uuid,
  pathOf: (source, session) => {
    const folder = /^(.*[\\/]sessions[\\/]--[^\\/]*--[\\/])[^\\/]+$/.exec(source)?.[1];
    return folder === undefined ? null : folder + fileName(session);
  },
  // Entries without ids are the same to each other: pi itself gives them ids when it opens the file.
  refuses: (_, head) =>
    head.slice(1).some((entry) => isObject(entry) && asText(entry["id"]) === null)
      ? "its file is of version 1, whose entries have no ids. Open it in pi once, which adds them."
      : null,
  fileName,
  resume: ({ path }) => ["pi", "--session", path],
  lines,
};

const isoOf = (at: number): string => new Date(at).toISOString();

function fileName({ id, at }: { readonly id: string; readonly at: number }): string {
  return `${isoOf(at).replaceAll(/[:.]/g, "-")}_${id}.jsonl`;
}

function* lines(input: ContinuationInput): Generator<ContinuationLine> {
  const timestamp = isoOf(input.at);
  const header = asObject(input.head[0]);
  const { parentSession: _parent, branchedFrom: _from, ...rest } = header;
  yield lineOf("added", { ...rest, id: input.id, timestamp, [CONTINUES]: input.origin });
  let parent: string | null = null;
  const chained = (value: Json): Json => {
    const entry = { ...value, parentId: parent };
    parent = asText(value["id"]) ?? parent;
    return entry;
  };
  const own = (value: Json): Json => chained({ ...value, id: input.newId().replaceAll("-", "").slice(-8), timestamp });
  const first = asObject(input.head[1]);
  yield lineOf("added", chained(first), [], "The first entry of the old file.");
  yield lineOf("added", own({ type: "session_info", name: input.title }));
  const open = new Map<string, string>();
  let firstKept: string | null = null;
  for (const { value, seqs, replaced } of [...input.records].toSorted((a, b) => (a.seqs[0] ?? 0) - (b.seqs[0] ?? 0))) {
    const entry = asObject(value);
    const type = asText(entry["type"]);
    if (type === "session" || entry["id"] === first["id"]) continue;
    const message = asObject(entry["message"]);
    const callId = asText(message["toolCallId"]) ?? "";
    const isResult = message["role"] === "toolResult";
    if (isResult && !open.delete(callId)) continue;
    if (!isResult && type === "message") yield* closing();
    for (const block of asArray(message["content"]).map(asObject))
      if (block["type"] === "toolCall") open.set(asText(block["id"]) ?? "", asText(block["name"]) ?? "tool");
    if (!NOTES.includes(type ?? "")) firstKept ??= asText(entry["id"]);
    const text = isResult ? replaced.get(callId) : undefined;
    const named = type === "compaction" ? { ...entry, firstKeptEntryId: firstKept } : entry;
    if (text === undefined) yield lineOf("kept", chained(named), seqs);
    else yield lineOf("replaced", chained({ ...entry, message: withText(message, text) }), seqs);
  }
  yield* closing();
  if (input.summary === null) return;
  // pi writes no trigger: without one it would count as pi's own.
  const { summary, tokensBefore } = input;
  const compaction = own({ type: "compaction", summary, tokensBefore, trigger: "manual" });
  yield lineOf("summary", { ...compaction, firstKeptEntryId: firstKept ?? compaction["id"] });

  /** Each call has one result, or the provider refuses the request. */
  function* closing(): Generator<ContinuationLine> {
    for (const [toolCallId, toolName] of open) {
      const content = [{ type: "text", text: NOT_FINISHED }];
      const message = { role: "toolResult", toolCallId, toolName, content, isError: true, timestamp: input.at };
      yield lineOf("closed", own({ type: "message", message }), [], NOT_FINISHED);
    }
    open.clear();
  }
}

function withText(message: Json, text: string): Json {
  const images = asArray(message["content"]).filter((block) => asObject(block)["type"] === "image");
  return { ...message, content: [{ type: "text", text }, ...images] };
}
