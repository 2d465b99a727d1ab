// A session of OpenCode that goes on in its database: a document for `opencode import`, with the summary as the client keeps its own
// compactions, and behind it the messages that stay. The import leaves rows whose ids are taken, so session, messages and parts get new
// ids: an old one with the new session's mark behind it, which keeps their order and says which row is a copy (opencode-copies.ts).
import {
  CONTINUES,
  NOT_FINISHED,
  type Continuation,
  type ContinuationInput,
  type ContinuationLine,
  type KeptRecord,
} from "#lib/kernel/continuation.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";
import { asMs } from "./opencode-drafts.ts";
import { copiedId, newSessionId } from "./opencode-copies.ts";

const FOLDER = /^(.*([\\/])(?:opencode|kilo)[\\/])[^\\/]+\.db#/;

export const openCodeContinuation: Continuation = {
  versions: ["1.18.33"],
  latest: [],
  notes: ["user message", "assistant message", "error", "step-start"],
  endings: ["step-finish"],
  newSessionId,
  pathOf: (source, session) => {
    const [, folder, separator] = FOLDER.exec(source) ?? [];
    return folder === undefined ? null : `${folder}carried-on${separator}${fileName(session)}`;
  },
  refuses: (source) =>
    source.endsWith(".json") ? "it is an exported document. Give it to OpenCode first: opencode import FILE." : null,
  fileName,
  handOver: ({ path }) => [programOf(path), "import", path],
  resume: ({ id, path }) => [programOf(path), "-s", id],
  lines,
};

function fileName({ id }: { readonly id: string }): string {
  return `${id}.json`;
}

/** Kilo is built on OpenCode. */
const programOf = (path: string): string => (/[\\/]kilo[\\/]/.test(path) ? "kilo" : "opencode");

const NOTHING = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

type Parts = { readonly message: Json; readonly seqs: readonly number[]; readonly parts: readonly KeptRecord[] };

function* lines(input: ContinuationInput): Generator<ContinuationLine> {
  const { summary, id: sessionID } = input;
  const idOf = (old: unknown): string => copiedId(asText(old) ?? "", sessionID);
  const session = rowOf(input.head[0]);
  const info = {
    id: sessionID,
    slug: `carried-on-${sessionID.slice(-8)}`,
    projectID: "",
    directory: input.cwd ?? "",
    title: input.title,
    version: asText(session["version"]) ?? "",
    metadata: { [CONTINUES]: { of: input.origin, as: sessionID } },
    time: { created: input.at, updated: input.at },
  };
  // The document is one object: brackets and commas stand where a line begins.
  let before = `{"info":${JSON.stringify(info)},"messages":[`;
  yield line("added", before);
  before = "";
  const messages = messagesOf(input.records, summary !== null);
  const first = messages.next();
  const head = input.head.map(rowOf).find(({ data }) => asText(asObject(data)["role"]) !== null);
  const around = first.done === true ? (head ?? {}) : first.value.message;
  // The client takes the last answer's prompt for the size of its context, and would compact at once.
  let isShorter = summary !== null;
  if (summary !== null) yield* summarised(around, summary);
  for (let next = first; next.done !== true; next = messages.next()) yield* copied(next.value);
  yield line("added", before === "" ? "]}" : "]}]}");

  function* copied({ message, seqs, parts }: Parts): Generator<ContinuationLine> {
    const data = asObject(message["data"]);
    const messageID = idOf(message["id"]);
    isShorter ||= parts.some(({ replaced }) => replaced.size > 0);
    const isAnswer = data["role"] === "assistant";
    const isSummary = data["summary"] === true;
    if (isSummary) yield* asked(message, data);
    const changed = {
      ...(isAnswer && {
        parentID: isSummary ? idsBefore(message).user : idOf(data["parentID"]),
        // What it cost was counted where it was paid.
        cost: 0,
        ...(isShorter && { tokens: NOTHING }),
      }),
    };
    yield open({ id: messageID, sessionID, ...data, ...changed }, "kept", seqs);
    let comma = "";
    for (const record of parts) {
      const row = rowOf(record.value);
      const { kind, part: own, note } = partOf(asObject(row["data"]), record);
      const part =
        (own as Json)["type"] === "step-finish" ? { ...own, cost: 0, ...(isShorter && { tokens: NOTHING }) } : own;
      yield line(
        kind,
        comma + JSON.stringify({ id: idOf(row["id"]), sessionID, messageID, ...part }),
        record.seqs,
        note,
      );
      comma = ",";
    }
  }

  /** The client asks for a compaction with a message of its own, and answers it with the summary. */
  function* asked(next: Json, { agent, model, providerID, modelID }: Json): Generator<ContinuationLine> {
    const { user, asking, created } = idsBefore(next);
    const asks = {
      ...{ id: user, sessionID, role: "user", time: { created } },
      agent: asText(agent) ?? "build",
      model: isObject(model) ? model : { providerID, modelID },
    };
    yield open(asks, "added", [], ASKED);
    yield line(
      "added",
      JSON.stringify({ id: asking, sessionID, messageID: user, type: "compaction", auto: false }),
      [],
      ASKED,
    );
  }

  function* summarised(next: Json, text: string): Generator<ContinuationLine> {
    const data = asObject(next["data"]);
    yield* asked(next, data);
    const { user, assistant, answer, created } = idsBefore(next);
    const model = isObject(data["model"]) ? data["model"] : data;
    const cwd = input.cwd ?? "/";
    const said = {
      ...{ id: assistant, sessionID, role: "assistant", parentID: user, mode: "compaction", agent: "compaction" },
      ...{ summary: true, finish: "stop", cost: 0, tokens: NOTHING },
      time: { created: created + 1, completed: created + 1 },
      path: isObject(data["path"]) ? data["path"] : { cwd, root: cwd },
      modelID: model["modelID"],
      providerID: model["providerID"],
    };
    yield open(said, "added", [], "The message of the summary.");
    yield line("summary", JSON.stringify({ id: answer, sessionID, messageID: assistant, type: "text", text }));
  }

  function open(
    message: Json,
    kind: ContinuationLine["kind"],
    seqs: readonly number[],
    note: string | null = null,
  ): ContinuationLine {
    const text = `${before}{"info":${JSON.stringify(message)},"parts":[`;
    before = "]},";
    return line(kind, text, seqs, note);
  }

  /** Names of messages and parts that come just before one: by their ids and times the client orders them. */
  function idsBefore(message: Json) {
    const at =
      asMs(message["time_created"]) ?? asMs(asObject(asObject(message["data"])["time"])["created"]) ?? input.at;
    const clock = /^msg_([0-9a-f]{12})/.exec(asText(message["id"]) ?? "")?.[1] ?? (at * 4096).toString(16).slice(-12);
    const mark = sessionID.slice(-14);
    const earlier = (by: number): string => {
      const ticks = Math.max(0, Number.parseInt(clock, 16) - by);
      return ticks.toString(16).padStart(12, "0") + mark;
    };
    return {
      ...{ user: `msg_${earlier(2)}`, assistant: `msg_${earlier(1)}` },
      ...{ asking: `prt_${earlier(2)}`, answer: `prt_${earlier(1)}` },
      created: Math.max(1, at - 2),
    };
  }
}

const ASKED = "What the client puts before a summary.";

const line = (
  kind: ContinuationLine["kind"],
  text: string,
  seqs: readonly number[] = [],
  note: string | null = null,
): ContinuationLine => ({ kind, text, seqs, note });

const rowOf = (record: unknown): Json => asObject(asObject(record)["row"]);

const NOTES = new Set(["step-start", "step-finish"]);
const STAYING = new Set(["text", "reasoning", "tool", "file", ...NOTES]);

/** Each message with its parts. One that failed is not sent again; behind a summary the compactions before it say nothing more. */
function* messagesOf(records: Iterable<KeptRecord>, isSummarised: boolean): Generator<Parts> {
  let message: KeptRecord | null = null;
  let parts: KeptRecord[] = [];
  const isSaid = ({ value }: KeptRecord): boolean => !NOTES.has(asText(asObject(rowOf(value)["data"])["type"]) ?? "");
  const whole = (): Parts[] => {
    if (message === null || !parts.some(isSaid)) return [];
    const row = rowOf(message.value);
    const data = asObject(row["data"]);
    const { name } = asObject(data["error"]);
    const isLeft = (name !== undefined && name !== "MessageAbortedError") || (isSummarised && data["summary"] === true);
    return isLeft ? [] : [{ message: row, seqs: message.seqs, parts }];
  };
  for (const record of records) {
    const table = asObject(record.value)["table"];
    if (table === "message") {
      yield* whole();
      message = record;
      parts = [];
    } else if (table === "part" && STAYING.has(asText(asObject(rowOf(record.value)["data"])["type"]) ?? ""))
      parts.push(record);
  }
  yield* whole();
}

/** A call and its result are one part: an envelope in place of the output, or an end where the call has no result yet. */
function partOf(
  part: Json,
  { seqs, replaced }: KeptRecord,
): { readonly kind: ContinuationLine["kind"]; readonly part: Json; readonly note: string | null } {
  if (part["type"] !== "tool") return { kind: "kept", part, note: null };
  const state = asObject(part["state"]);
  const isDone = seqs.length > 1 && (state["status"] === "completed" || state["status"] === "error");
  if (!isDone) {
    const start = asMs(asObject(state["time"])["start"]) ?? 1;
    const closed = {
      status: "error",
      input: asObject(state["input"]),
      error: NOT_FINISHED,
      time: { start, end: start },
    };
    return { kind: "closed", part: { ...part, state: closed }, note: NOT_FINISHED };
  }
  const text = replaced.get(asText(part["callID"]) ?? "");
  if (text === undefined) return { kind: "kept", part, note: null };
  const { output: _, outputPath: __, preview: ___, ...metadata } = asObject(state["metadata"]);
  const said = state["status"] === "error" ? { error: text } : { output: text };
  const attachments = asArray(state["attachments"]);
  const shown = { ...state, ...said, metadata, ...(attachments.length > 0 && { attachments }) };
  return { kind: "replaced", part: { ...part, state: shown }, note: null };
}
