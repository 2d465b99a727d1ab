// A chat of Gemini CLI that goes on in a new file: its header under a new name, the summary as the client writes one when it compacts,
// and each message that stays, once. A message stands in a file as often as it grew, and again in lists of all messages: the last of
// them holds. Messages keep their ids, by which copies are known.
import {
  CONTINUES,
  lineOf,
  NOT_FINISHED,
  type Continuation,
  type ContinuationInput,
  type ContinuationLine,
  type KeptRecord,
} from "#lib/kernel/continuation.ts";
import { partsOf, responseOf } from "../google-content.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";
import { isContext } from "./gemini-messages.ts";

export const geminiContinuation: Continuation = {
  versions: ["0.61.0"],
  latest: [],
  notes: [],
  opening: "environment",
  newSessionId: (_, uuid) => uuid,
  pathOf: (source, session) => {
    const folder = /^(.*[\\/]chats[\\/])[^\\/]+$/.exec(source)?.[1];
    return folder === undefined ? null : folder + fileName(session);
  },
  fileName,
  resume: ({ id }) => ["gemini", "--resume", id],
  lines,
};

const isoOf = (at: number): string => new Date(at).toISOString();

function fileName({ id, at }: { readonly id: string; readonly at: number }): string {
  return `session-${isoOf(at).slice(0, 16).replace(":", "-")}-${id.slice(0, 8)}.jsonl`;
}

type Message = { readonly value: Json; readonly seqs: readonly number[]; readonly replaced: KeptRecord["replaced"] };

function* lines(input: ContinuationInput): Generator<ContinuationLine> {
  const { summary } = input;
  const messages = messagesOf(input);
  // The reader forgets messages that are older than what it read.
  const timestamp = asText(messages[0]?.value["timestamp"]) ?? isoOf(input.at);
  const { messages: _, summary: _title, ...header } = asObject(input.head[0]);
  yield lineOf("added", {
    projectHash: input.origin,
    ...header,
    ...{ sessionId: input.id, startTime: isoOf(input.at), lastUpdated: isoOf(input.at) },
    ...{ kind: "main", summary: input.title, [CONTINUES]: input.origin },
  });
  const opening = openingOf(input);
  if (opening !== null) yield lineOf("kept", { ...opening, timestamp }, input.opening?.seqs, RENEWED);
  const own = (type: string, content: readonly Json[]): Json => ({ id: input.newId(), timestamp, type, content });
  if (summary !== null)
    yield lineOf("summary", own("user", [{ text: `<state_snapshot>\n${summary}\n</state_snapshot>` }]));
  const answered = new Set<string>();
  /** Calls that stand in a content; those of `toolCalls` have their results beside them. */
  const open = new Map<string, string>();
  for (const message of messages) {
    if (message.value["type"] === "user") yield* userLines(message);
    else yield* answerLines(message);
  }
  yield* closing();

  function* userLines({ value, seqs, replaced }: Message): Generator<ContinuationLine> {
    const parts = partsOf(value["content"]);
    const responses = parts.flatMap((part) => responseOf(part)?.toolCallId ?? []);
    // Most results stand in the answer that asked for them, too.
    const kept = parts.filter((part) => {
      const response = responseOf(part);
      return response === null || open.delete(response.toolCallId ?? "");
    });
    if (kept.length === 0) return;
    yield* closing();
    const left = responses.filter((id) => !answered.has(id)).length - (kept.length - kept.filter(isNoResponse).length);
    const shown = withTexts(kept, replaced);
    const note = left > 0 ? `${left} ${left === 1 ? "result" : "results"} without a call left out.` : null;
    const content = kept.length === parts.length && !shown.isReplaced ? value["content"] : shown.parts;
    yield lineOf(shown.isReplaced ? "replaced" : left > 0 ? "changed" : "kept", { ...value, content }, seqs, note);
  }

  function* answerLines({ value, seqs, replaced }: Message): Generator<ContinuationLine> {
    yield* closing();
    const calls = asArray(value["toolCalls"]).map(asObject);
    const ids = new Set(calls.flatMap(({ id }) => asText(id) ?? []));
    for (const { functionCall: call } of partsOf(value["content"])) {
      const id = isObject(call) ? asText(call["id"]) : null;
      if (id !== null && !ids.has(id)) open.set(id, asText(asObject(call)["name"]) ?? "tool");
    }
    let isReplaced = false;
    let isClosed = false;
    const toolCalls = calls.map((call) => {
      answered.add(asText(call["id"]) ?? "");
      if (asArray(call["result"]).length === 0) {
        isClosed = true;
        const { id, name } = call;
        return { ...call, status: "cancelled", result: [notFinished(asText(id), asText(name) ?? "tool")] };
      }
      const shown = withTexts(asArray(call["result"]).map(asObject), replaced);
      if (!shown.isReplaced) return call;
      isReplaced = true;
      const text = replaced.get(asText(call["id"]) ?? "");
      return { ...call, result: shown.parts, ...(call["resultDisplay"] !== undefined && { resultDisplay: text }) };
    });
    const copy = isReplaced || isClosed ? { ...value, toolCalls } : value;
    const kind = isReplaced ? "replaced" : isClosed ? "changed" : "kept";
    yield lineOf(kind, copy, seqs, isClosed ? NOT_FINISHED : null);
  }

  /** Each call has one result, or the client makes one up. */
  function* closing(): Generator<ContinuationLine> {
    const parts = [...open].map(([id, name]) => notFinished(id, name));
    open.clear();
    if (parts.length > 0) yield lineOf("closed", own("user", parts), [], NOT_FINISHED);
  }
}

const RENEWED = "Gemini CLI sends it first, written anew.";

/** The client leaves the old one out, and sends what it finds today in its place. */
function openingOf({ opening }: ContinuationInput): Json | null {
  const record = asObject(opening?.value);
  const list = asArray(asObject(record["$set"])["messages"] ?? record["messages"]).filter(isObject);
  return (list.length === 0 ? [record] : list).find(isContext) ?? null;
}

const isNoResponse = (part: Json): boolean => responseOf(part) === null;

const notFinished = (id: string | null, name: string): Json => ({
  functionResponse: { ...(id !== null && { id }), name, response: { error: NOT_FINISHED } },
});

/** Each message once, where it stood first; a list of all messages has the order. */
function messagesOf({ records, summary }: ContinuationInput): Message[] {
  let messages = new Map<string, Message>();
  for (const { value, seqs, replaced } of [...records].toSorted((a, b) => (a.seqs[0] ?? 0) - (b.seqs[0] ?? 0))) {
    const record = asObject(value);
    const list = asArray(asObject(record["$set"])["messages"] ?? record["messages"]).filter(isObject);
    if (list.length === 0) {
      add(messages, record, seqs, replaced);
      continue;
    }
    const known = messages;
    // Behind a summary only what stays of it: what was before is in the summary.
    const from =
      summary === null
        ? 0
        : Math.max(
            0,
            list.findIndex((one) => known.has(asText(one["id"]) ?? "")),
          );
    messages = new Map();
    let own = seqs;
    for (const one of list.slice(from)) {
      const before = known.get(asText(one["id"]) ?? "");
      const texts = new Map([...(before?.replaced ?? []), ...replaced]);
      // The events of the list itself belong to the first message that it brings.
      const isNew = before === undefined && !isContext(one);
      add(messages, one, before?.seqs ?? (isNew ? own : []), texts);
      if (isNew) own = [];
    }
    if (own.length > 0 && messages.size > 0) {
      const [id, last] = [...messages].at(-1)!;
      messages.set(id, { ...last, seqs: [...last.seqs, ...own] });
    }
  }
  return [...messages.values()];
}

function add(
  messages: Map<string, Message>,
  value: Json,
  seqs: readonly number[],
  replaced: KeptRecord["replaced"],
): void {
  const id = asText(value["id"]);
  if (id === null || !["user", "gemini", "qwen"].includes(asText(value["type"]) ?? "") || isContext(value)) return;
  const before = messages.get(id);
  messages.set(id, {
    value,
    seqs: [...(before?.seqs ?? []), ...seqs],
    replaced: new Map([...(before?.replaced ?? []), ...replaced]),
  });
}

/** Envelopes in place of outputs; images that a tool read stay. */
function withTexts(parts: readonly Json[], texts: KeptRecord["replaced"]) {
  let isReplaced = false;
  const changed = parts.map((part) => {
    const response = responseOf(part);
    const text = texts.get(response?.toolCallId ?? "");
    if (response === null || text === undefined) return part;
    isReplaced = true;
    const answer = response.isError ? { error: text } : { output: text };
    return { ...part, functionResponse: { ...asObject(part["functionResponse"]), response: answer } };
  });
  return { parts: changed, isReplaced };
}
