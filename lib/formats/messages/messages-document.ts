// A record of messages: a conversation, a request with its answer, or one message of a file that has one a line.
import type { Draft, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { TOOL_PART } from "#lib/kernel/request-records.ts";
import { asArray, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { elementsOf, firstWord, headValue, objectMembers, scanJson, valueAt } from "../json-parts.ts";
import { eventAt, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { answerDrafts } from "./answer-drafts.ts";
import { documentsIn, listOfDocuments } from "./document-lists.ts";
import { isEnvelope, opened } from "./envelopes.ts";
import { countedAnswer, failureDraft, isLoggingPayload } from "./litellm-payloads.ts";
import { areMessages, INSIDE, isAnswer, LISTS, messageLists, messagesOfAnswer } from "./message-lists.ts";
import { messageDrafts, newConversation, type Conversation } from "./conversation-drafts.ts";
import { streamDrafts } from "./stream-lines.ts";
import { streamedAnswer } from "./streamed-answers.ts";
import { isStreamFile, streamPieces } from "./stream-document.ts";

export type MessagesState = {
  id: string | null;
  /** Sessions that were read from lines before. */
  count: number;
  /** A file with a message a line: one session. */
  readonly stream: Conversation | null;
  /** Logs repeat the conversation in each request: what the last one held, by what its messages say. */
  sent: readonly string[];
  log: Conversation | null;
  /** The file is what came of answers as they were streamed. */
  readonly isStreamed?: true;
};

/** Where an answer stands beside its request. */
const ANSWERS = ["response", "raw_response", "completion"];

/** Messages of a request that are remembered. */
const SENT = 150;

export function startMessages({ head }: SourceFile): MessagesState {
  const isStream = messageLists(headValue(head))?.isMessage === true;
  const start = { id: null, count: 0, stream: isStream ? newConversation("") : null, sent: [], log: null };
  return isStreamFile(head) ? { ...start, isStreamed: true } : start;
}

export function* messagesPieces(record: SourceRecord, state: MessagesState): Generator<readonly Draft[]> {
  if (record.oversized === true) return;
  if (state.isStreamed === true) return yield* streamPieces(record, state);
  const { bytes, byteStart, byteEnd, line } = record;
  const scanned = scanJson(bytes, LISTS);
  const list =
    scanned.root === "object" && scanned.lists.size > 0 ? null : listOfDocuments(beginningOf(bytes, scanned));
  if (list !== null) return yield* documentsPieces(record, list, state);
  let isEmpty = true;
  if (scanned.root !== null)
    for (const drafts of piecesOf(bytes, scanned, record, state)) {
      isEmpty &&= drafts.length === 0;
      yield drafts;
    }
  const rest = firstWord(bytes, scanned.end);
  if (rest < bytes.length) {
    const reason = "The record ends too early or is damaged. What was before is read.";
    yield [{ kind: "problem", line, byteStart: isEmpty ? byteStart : byteStart + rest, byteEnd, reason }];
  } else if (isEmpty) yield [{ kind: "problem", line, byteStart, byteEnd, reason: "A record without messages." }];
}

const beginningOf = (bytes: Uint8Array, { root, header, lists }: Scanned): unknown =>
  root === "array"
    ? lists
        .get("")
        ?.slice(0, 4)
        .map((range) => valueAt(bytes, range))
    : (header ?? headValue(bytes.subarray(0, 65_536)));

/** Each document of a list is read as one that stands on a line. */
function* documentsPieces(record: SourceRecord, list: string, state: MessagesState): Generator<readonly Draft[]> {
  const { ranges, problems } = documentsIn(record, list);
  for (const one of ranges) yield* messagesPieces(one, state);
  yield problems;
}

type Scanned = ReturnType<typeof scanJson>;

/** A message at a time, with all that an answer says as one. */
function* piecesOf(
  bytes: Uint8Array,
  scanned: Scanned,
  record: SourceRecord,
  state: MessagesState,
): Generator<readonly Draft[]> {
  const { byteStart, line } = record;
  const start: Position = { lane: "", ts: null, key: null, byteStart, byteEnd: byteStart + scanned.end };
  const header = opened(scanned.header ?? asObject(headValue(bytes.subarray(0, 65_536))));
  const listed = listsIn(bytes, scanned, byteStart);
  if (listed.length === 0 && (state.stream !== null || messageLists(header)?.isMessage === true)) {
    state.count++;
    const conversation = state.stream ?? newConversation("");
    state.id ??= printOf(jsonText(header));
    const drafts = streamDrafts(header, start, conversation) ?? messageDrafts(header, start, conversation);
    return yield [...(state.count === 1 ? [patchOf("", {})] : []), ...drafts];
  }
  const output = elementsOf(bytes, scanned.lists.get("output")).map(({ value }) => value);
  const whole = output.length > 0 ? { ...header, output } : header;
  const told = ANSWERS.map((name) => header[name]);
  const answer =
    [...told, whole].find(isAnswer) ?? told.map(streamedAnswer).find((one) => one !== null) ?? countedAnswer(header);
  const isPayload = isLoggingPayload(header) || (isEnvelope(header) && answer === null);
  const isLog =
    isPayload ||
    (answer !== null && (isObject(header["request"]) || ![whole, header["raw_response"]].includes(answer)));
  // Between conversations a line may be of something else.
  if (state.count > 0 && listed.length === 0 && answer === null && !isPayload) return;
  // What a log repeats is looked at several times.
  const held = isLog ? listed.map((one): Held => ({ ...one, value: one.value })) : listed;
  const before = isLog ? state.log : null;
  const isNew = before === null || !continues(held, state.sent);
  const isFirst = isNew && state.count++ === 0;
  const lane = !isNew ? before.lane : isFirst ? "" : `line-${line}-${byteStart}`;
  const conversation = isNew ? newConversation(lane) : before;
  if (isLog) state.log = conversation;
  const messages = isNew ? held : held.slice(state.sent.length);
  const here: Position = { ...start, lane, ts: asTime(header["timestamp"] ?? header["startTime"]) };
  conversation.model =
    asText(answer?.["model"] ?? answer?.["modelVersion"] ?? answer?.["model_version"]) ??
    [header, header["request"], header["body"], header["params"]].map(modelIn).find(isText) ??
    conversation.model;
  // Where the answer stands beside, what was sent is history: the tokens of earlier answers are elsewhere.
  conversation.isSent = answer !== null || isPayload;
  if (isFirst)
    state.id =
      asText(header["id"]) ??
      asText(header["session_id"]) ??
      asText(header["sessionId"]) ??
      asText(header["thread_id"]) ??
      printOf(jsonText([held.slice(0, 3).map(({ value }) => value), answer?.["id"] ?? null]));
  const isHeaded = asObject(held[0]?.value)["role"] === "system";
  yield isNew ? aboutDrafts(isHeaded ? header : headed(header), here, conversation, isFirst) : [patchOf(lane, {})];
  for (const { value, byteStart: from, byteEnd: to } of messages) {
    const position: Position = { lane, ts: here.ts, key: null, byteStart: from, byteEnd: to };
    if (isObject(value)) yield messageDrafts(value, position, conversation);
    else if (typeof value === "string") yield messageDrafts({ role: "user", content: value }, position, conversation);
    else {
      const reason = "A message that is not a JSON object.";
      yield [{ kind: "problem", line, byteStart: from, byteEnd: to, reason }];
    }
  }
  if (answer !== null) yield answerDrafts(answer, header, here, conversation);
  else if (isPayload) yield [failureDraft(header, here)];
  else
    for (const value of told.filter((one) => one !== undefined && one !== null))
      yield [noteAt(here, "response", clip(asText(value) ?? jsonText(value), 2000))];
  if (isLog)
    state.sent = [
      ...held.map(({ value }) => messagePrint(value)),
      ...(answer === null ? [] : messagesOfAnswer(answer).map(() => "*")),
    ].slice(0, SENT);
}

const modelIn = (value: unknown): string | null => {
  const { model, modelId } = asObject(value);
  return asText(model) ?? asText(modelId);
};

const isText = (value: string | null): value is string => value !== null;

/** The value may be parsed each time that it is asked for: a long conversation is not held. */
type Held = { readonly value: unknown; readonly byteStart: number; readonly byteEnd: number };

/** The messages of a document with their bytes: of its own lists, or of the object inside that holds them. */
function listsIn(bytes: Uint8Array, scanned: Scanned, base: number): Held[] {
  const keys = scanned.root === "array" ? [""] : LISTS.filter((key) => key !== "output");
  const own = keys
    .flatMap((key) => scanned.lists.get(key) ?? [])
    .map((range): Held => ({
      get value() {
        return valueAt(bytes, range);
      },
      byteStart: base + range.from,
      byteEnd: base + range.to,
    }));
  if (scanned.root === "array") return own;
  if (own.length > 0 && areMessages(own.slice(0, 4).map(({ value }) => value))) return own;
  for (const { key, from, to } of objectMembers(bytes)) {
    if (!INSIDE.includes(key)) continue;
    const inside = listsIn(bytes.subarray(from, to), scanJson(bytes.subarray(from, to), LISTS), base + from);
    if (inside.length > 0) return inside;
  }
  return [];
}

const messagePrint = (value: unknown): string => {
  const { role, content, tool_calls: calls } = asObject(value);
  return printOf(
    jsonText([
      role,
      typeof content === "string" ? content : asArray(content).map((part) => asObject(part)["text"] ?? part),
      calls,
    ]),
  );
};

/** True when a request holds what the one before held and got, and goes on. */
const continues = (held: readonly Held[], sent: readonly string[]): boolean =>
  sent.length > 0 &&
  held.length >= sent.length &&
  sent.every((print, i) => print === "*" || print === messagePrint(held[i]!.value));

/** A prompt beside the messages is the system's own, where they do not begin with one. */
const headed = (header: Json): Json =>
  typeof header["system_prompt"] === "string" ? { system: header["system_prompt"], ...header } : header;

/** Documents of Hermes, of before its database and of `/save`. */
const isOfHermes = ({ platform, session_start: start }: Json): boolean =>
  typeof platform === "string" && typeof start === "string";

function aboutDrafts(header: Json, position: Position, conversation: Conversation, isFirst: boolean): Draft[] {
  const { lane } = conversation;
  const inside = ["request", "body", "params", "proxy_server_request"].map((key) => header[key]).find(isObject);
  const request = inside === undefined ? header : { ...inside, ...header };
  const config = asObject(request["config"]);
  const system =
    request["system"] ??
    request["instructions"] ??
    request["systemInstruction"] ??
    request["system_instruction"] ??
    config["systemInstruction"];
  const tools = [request["tools"], asObject(request["kwargs"])["tools"], config["tools"]].find(
    (list) => asArray(list).length > 0,
  );
  const title = asText(header["title"]) ?? asText(header["name"]) ?? asText(header["custom_id"]);
  const starts = ["created_at", "createdAt", "create_time", "created", "session_start"].map((name) => header[name]);
  const startedAt = asTime(starts.find((start) => start !== undefined && start !== null));
  const cwd = folderOf(header);
  return [
    patchOf(lane, {
      ...(isOfHermes(header) && { agentName: "Hermes" }),
      ...(conversation.model !== null && { model: conversation.model }),
      ...(title !== null && title.trim() !== "" && { title: clip(title.trim(), 300), titleRank: 1 as const }),
      ...(startedAt !== null && { startedAt }),
      ...(cwd !== null && { cwd }),
      ...(!isFirst && { relation: "root" as const }),
    }),
    ...(system === undefined || system === null
      ? []
      : messageDrafts(
          { role: "system", content: asObject(system)["parts"] ?? system },
          { ...position, key: null },
          conversation,
        ).map((draft): Draft => (draft.kind === "event" ? { ...draft, isRecord: false } : draft))),
    ...asArray(tools)
      .flatMap((one) =>
        asArray(asObject(one)["functionDeclarations"]).length > 0
          ? asArray(asObject(one)["functionDeclarations"])
          : [one],
      )
      .map((tool) => {
        const of = asObject(asObject(tool)["function"] ?? tool);
        const name = asText(of["name"]) ?? asText(of["type"]) ?? "unnamed";
        return eventAt(
          position,
          { type: "meta", subtype: TOOL_PART, name, text: jsonText(tool), sent: "tools" },
          { isRecord: false },
        );
      }),
  ];
}

/** Where Continue, Amp and Hermes worked. */
function folderOf({ workspaceDirectory, env, model_config: config }: Json): string | null {
  const [tree] = asArray(asObject(asObject(env)["initial"])["trees"]);
  const folder = asText(workspaceDirectory) ?? asText(asObject(tree)["uri"]) ?? asText(asObject(config)["cwd"]);
  if (folder === null || folder === "") return null;
  return folder.startsWith("file://") ? decodedPath(folder.slice("file://".length)) : folder;
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
