// A chat of Qwen Code that goes on in a new file: its title, a `chat_compression` record with the summary as the history, as the client
// writes one itself, and behind it what stays as one chain. Records keep their ids, as in the client's own fork. What telemetry told of
// an answer is copied too, since the answer's id stands there alone.
import {
  CONTINUES,
  lineOf,
  NOT_FINISHED,
  type Continuation,
  type ContinuationInput,
  type ContinuationLine,
  type KeptRecord,
} from "#lib/kernel/continuation.ts";
import { responseOf } from "../google-content.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";
import { partsIn } from "./qwen-state.ts";

const ANSWERED = "qwen-code.api_response";
/** What the client puts behind a summary in the model's place. */
const AGREED = { role: "model", parts: [{ text: "Got it. Thanks for the additional context!" }] };

export const qwenContinuation: Continuation = {
  versions: ["0.24.4"],
  latest: [],
  notes: [ANSWERED],
  newSessionId: (_, uuid) => uuid,
  pathOf: (source, session) => {
    const folder = /^(.*[\\/]projects[\\/][^\\/]+[\\/]chats[\\/])[^\\/]+$/.exec(source)?.[1];
    return folder === undefined ? null : folder + fileName(session);
  },
  fileName,
  resume: ({ id }) => ["qwen", "--resume", id],
  lines,
};

function fileName({ id }: { readonly id: string }): string {
  return `${id}.jsonl`;
}

function* lines(input: ContinuationInput): Generator<ContinuationLine> {
  const { summary } = input;
  const first = asObject(input.head[0]);
  const base = Object.fromEntries(["cwd", "version", "gitBranch"].map((key) => [key, first[key]]));
  let parent: string | null = null;
  const chained = (record: Json): Json => {
    const made = { ...record, parentUuid: parent, sessionId: input.id };
    parent = asText(record["uuid"]) ?? parent;
    return made;
  };
  const own = (record: Json): Json =>
    chained({ uuid: input.newId(), timestamp: new Date(input.at).toISOString(), ...record, ...base });
  const system = (subtype: string, systemPayload: Json): Json =>
    own({ type: "system", provenance: "system", subtype, systemPayload });

  const titled = { customTitle: input.title, titleSource: "manual" };
  yield lineOf("added", { ...system("custom_title", titled), [CONTINUES]: input.origin });
  const records = [...input.records].toSorted((a, b) => (a.seqs[0] ?? 0) - (b.seqs[0] ?? 0));
  const texts = new Map(records.flatMap(({ replaced }) => [...replaced]));
  // A history that the client wrote later stands in place of all before it, of the summary too: it goes into that one.
  const at = records.findLastIndex(({ value }) => isCompression(asObject(value)));
  const open = new Map<string, string>();
  let isShorter = summary !== null;
  let told: KeptRecord | null = null;
  if (summary !== null && at < 0) yield compressed([]);
  for (const [i, record] of records.entries()) {
    const value = asObject(record.value);
    if (isAnswered(value)) {
      told = record;
      continue;
    }
    const before = told;
    told = null;
    if (isCompression(value)) {
      open.clear();
      const history = withTexts(asArray(asObject(value["systemPayload"])["compressedHistory"]), texts);
      const isReplaced = history.isReplaced;
      isShorter ||= isReplaced;
      if (summary !== null && i === at) yield compressed(history.contents, record.seqs);
      else {
        const payload = { ...asObject(value["systemPayload"]), compressedHistory: history.contents };
        yield lineOf(isReplaced ? "replaced" : "kept", chained({ ...value, systemPayload: payload }), record.seqs);
      }
      continue;
    }
    const parts = partsIn(value);
    const isOrphan = (part: Json): boolean => {
      const response = responseOf(part);
      return response !== null && !open.has(response.toolCallId ?? "");
    };
    const kept = parts.filter((part) => !isOrphan(part));
    if (kept.length === 0 && parts.length > 0) continue;
    if (value["type"] !== "tool_result") yield* closing();
    if (value["type"] === "assistant" && before !== null)
      yield lineOf("added", chained(asObject(before.value)), before.seqs, TOLD);
    for (const { functionCall: call } of kept)
      if (isObject(call)) open.set(asText(call["id"]) ?? "", asText(call["name"]) ?? "tool");
    for (const part of kept) open.delete(responseOf(part)?.toolCallId ?? "");
    const shown = withTexts([{ ...asObject(value["message"]), parts: kept }], record.replaced);
    isShorter ||= shown.isReplaced;
    const copy: Json = { ...value, message: shown.contents[0] };
    if (shown.isReplaced) copy["toolCallResult"] = withDisplay(asObject(value["toolCallResult"]), record.replaced);
    // The client takes the last answer's prompt for the size of its context, and would compact at once.
    if (isShorter) delete copy["usageMetadata"];
    const left = parts.length - kept.length;
    const note = left === 0 ? null : `${left} ${left === 1 ? "result" : "results"} without a call left out.`;
    yield lineOf(shown.isReplaced ? "replaced" : left > 0 ? "changed" : "kept", chained(copy), record.seqs, note);
  }
  yield* closing();

  function compressed(history: readonly unknown[], seqs: readonly number[] = []): ContinuationLine {
    const compressedHistory = [{ role: "user", parts: [{ text: summary }] }, AGREED, ...history];
    const info = {
      originalTokenCount: input.tokensBefore,
      newTokenCount: sizeOf([
        ...compressedHistory,
        ...records.slice(at + 1).map(({ value }) => asObject(value)["message"]),
      ]),
      newTokenCountIsEstimated: true,
      compressionStatus: 1,
      triggerReason: "manual",
    };
    return lineOf("summary", system("chat_compression", { info, compressedHistory, completedToolCallIds: [] }), seqs);
  }

  /** Each call has one result, or the provider refuses the request. */
  function* closing(): Generator<ContinuationLine> {
    for (const [id, name] of open) {
      const functionResponse = { id, name, response: { error: NOT_FINISHED } };
      const message = { role: "user", parts: [{ functionResponse }] };
      const toolCallResult = { callId: id, status: "cancelled" };
      yield lineOf(
        "closed",
        own({ type: "tool_result", provenance: "tool_result", message, toolCallResult }),
        [],
        NOT_FINISHED,
      );
    }
    open.clear();
  }
}

const TOLD = "The id of the answer below.";

const isCompression = (value: Json): boolean =>
  value["subtype"] === "chat_compression" && Array.isArray(asObject(value["systemPayload"])["compressedHistory"]);

const isAnswered = (value: Json): boolean => {
  const event = asObject(asObject(value["systemPayload"])["uiEvent"]);
  return (
    value["subtype"] === "ui_telemetry" && event["event.name"] === ANSWERED && event["subagent_name"] === undefined
  );
};

/** As the client estimates it: a token for four characters. */
const sizeOf = (contents: readonly unknown[]): number => Math.ceil(JSON.stringify(contents).length / 4);

/** Envelopes in place of outputs; images that a tool read stay. */
function withTexts(contents: readonly unknown[], texts: ReadonlyMap<string, string>) {
  let isReplaced = false;
  const changed = contents.map((content) => {
    const one = asObject(content);
    const parts = asArray(one["parts"]).map((value) => {
      const part = asObject(value);
      const response = responseOf(part);
      const text = texts.get(response?.toolCallId ?? "");
      if (response === null || text === undefined) return value;
      isReplaced = true;
      const answer = response.isError ? { error: text } : { output: text };
      return { ...part, functionResponse: { ...asObject(part["functionResponse"]), response: answer } };
    });
    return { ...one, parts };
  });
  return { contents: changed, isReplaced };
}

/** What the client shows of a result. */
function withDisplay(result: Json, texts: ReadonlyMap<string, string>): Json {
  const text = texts.get(asText(result["callId"]) ?? "");
  if (text === undefined || result["resultDisplay"] === undefined) return result;
  return { ...result, resultDisplay: text };
}
