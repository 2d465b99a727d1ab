// A file of what came of answers as they were streamed: server-sent events as text, or the chunk of each on a line. It is read whole,
// for only its end says what an answer was. Each answer is put together from its own lines, also where two came at once.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { eventAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { unknownBody } from "../unknown-body.ts";
import { parseJson } from "../json-parts.ts";
import { answerDrafts } from "./answer-drafts.ts";
import { newConversation } from "./conversation-drafts.ts";
import { streamedAnswer } from "./streamed-answers.ts";

type Line = { readonly data: string | null; readonly from: number; readonly to: number };
type Answer = { readonly chunks: Json[]; readonly from: number; to: number };

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const LF = 0x0a;
/** Lines of a head that may stand before the first chunk: names of events, comments, blanks. */
const BEFORE = 20;

/** True for a file of server-sent events with an answer in them, or of chunks of OpenAI's, one a line. */
export function isStreamFile(head: Uint8Array): boolean {
  let isText = false;
  let looked = 0;
  for (const { data, from, to } of linesOf(head)) {
    if (looked++ >= BEFORE) return false;
    if (data === null) isText = true;
    if (data === null || data === "") continue;
    const value = parseJson(data);
    isText ||= utf8.decode(head.subarray(from, to)).startsWith("data:");
    return isObject(value) && (isChunk(value) || (isText && isOtherChunk(value)));
  }
  return false;
}

const isChunk = (value: Json): boolean =>
  value["object"] === "chat.completion.chunk" ||
  isObject(asObject(asArray(value["choices"])[0])["delta"]) ||
  (/^response\.\w/.test(asText(value["type"]) ?? "") && ("sequence_number" in value || isObject(value["response"])));

/** As text, a stream of Anthropic's or Google's is one of these: with an event a line, they are other files. */
const isOtherChunk = (value: Json): boolean => value["type"] === "message_start" || Array.isArray(value["candidates"]);

/** The lines with their bytes; `data` is null for a line that only names an event, or says nothing. */
function* linesOf(bytes: Uint8Array): Generator<Line> {
  for (let from = 0; from < bytes.length;) {
    const newline = bytes.indexOf(LF, from);
    const to = newline < 0 ? bytes.length : newline;
    const text = utf8
      .decode(bytes.subarray(from, to))
      .replace(/^\uFEFF/, "")
      .trim();
    const isField = text === "" || /^(?:event|id|retry)?:/.test(text);
    if (!isField) yield { data: text.startsWith("data:") ? text.slice("data:".length).trim() : text, from, to };
    else if (text !== "") yield { data: null, from, to };
    from = to + 1;
  }
}

export function* streamPieces(
  record: SourceRecord,
  state: { id: string | null; count: number },
): Generator<readonly Draft[]> {
  const { bytes, byteStart, line } = record;
  const answers: Answer[] = [];
  const byId = new Map<string, Answer>();
  const beside: Draft[] = [];
  const at = (from: number, to: number): Position => ({
    ...{ lane: "", ts: null, key: null, byteStart: byteStart + from, byteEnd: byteStart + to },
  });
  let open: Answer | null = null;
  for (const { data, from, to } of linesOf(bytes)) {
    if (data === null || data === "") continue;
    const value = data === "[DONE]" ? null : parseJson(data);
    if (value === null) open = null;
    else if (!isObject(value)) {
      const { byteStart: start, byteEnd } = at(from, to);
      beside.push({
        kind: "problem",
        line,
        byteStart: start,
        byteEnd,
        reason: "A line of the stream that is not JSON.",
      });
    } else if (isPart(value)) {
      const id = idOf(value);
      open = (id === null ? open : byId.get(id)) ?? { chunks: [], from, to };
      if (id !== null) byId.set(id, open);
      if (open.chunks.length === 0) answers.push(open);
      open.chunks.push(value);
      open.to = to;
    } else if (value["type"] !== "ping") beside.push(besideOf(value, at(from, to)));
  }
  const conversation = newConversation("");
  state.id ??= printOf(jsonText(answers[0]?.chunks[0] ?? null));
  state.count = answers.length;
  yield [patchOf("", {})];
  for (const { chunks, from, to } of answers) {
    const answer = streamedAnswer(chunks) ?? {};
    conversation.model = asText(answer["model"] ?? answer["modelVersion"]) ?? conversation.model;
    const model = conversation.model === null ? {} : { model: conversation.model };
    const isCut = !isComplete(chunks);
    const drafts = answerDrafts(answer, {}, at(from, to), conversation);
    yield [patchOf("", model), ...drafts.map((one) => (isCut && one.kind === "call" ? withLowerBound(one) : one))];
  }
  yield beside;
}

const withLowerBound = (call: Extract<Draft, { kind: "call" }>): Draft =>
  call.usage === null ? call : { ...call, outputLowerBound: true };

const isPart = (value: Json): boolean =>
  isChunk(value) ||
  isOtherChunk(value) ||
  /^(?:message|content_block|response)(?:_|\.)\w/.test(asText(value["type"]) ?? "");

/** Chunks of a chat say it each, events at the ends of an answer: those between are of the one that is open. */
const idOf = (value: Json): string | null =>
  [value["id"], value["responseId"], asObject(value["response"])["id"], asObject(value["message"])["id"]]
    .map(asText)
    .find((id) => id !== null && id !== "") ?? null;

const ENDS: ReadonlySet<unknown> = new Set([
  ...["message_stop", "message_delta", "response.completed", "response.incomplete", "response.failed"],
]);

/** Counts of an answer that came to its end are whole. */
const isComplete = (chunks: readonly Json[]): boolean =>
  chunks.some(
    ({ type, choices, candidates }) =>
      ENDS.has(type) ||
      [...asArray(choices), ...asArray(candidates)].some((one) => {
        const { finish_reason: reason, finishReason = reason } = asObject(one);
        return asText(finishReason) !== null;
      }),
  );

/** What stands among the chunks: why the stream failed, or something that is not known. */
function besideOf(value: Json, position: Position): Draft {
  const error =
    asText(asObject(value["error"])["message"]) ?? (value["type"] === "error" ? asText(value["message"]) : null);
  if (error !== null) return eventAt(position, { type: "error", text: clip(error, 2000) });
  return eventAt(position, unknownBody("event", asText(value["type"]) ?? "", value, 4000));
}
