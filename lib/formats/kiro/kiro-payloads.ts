// Records of Kiro's newest engine, of its editor and its command line: one payload a line. Nothing in them names a model call: its
// records come as they are done, and the size of the context stands once for each.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asNumber, asObject, asText, asTime, asWhole, clip, isObject, type Json } from "../json.ts";
import { imagesOf } from "../placed-drafts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { unknownBody } from "../unknown-body.ts";
import { aboutDrafts, callOf, rememberRecord, rewindOf, summaryDrafts, titleDrafts } from "./kiro-drafts.ts";
import { creditsIn, creditsText, type KiroState } from "./kiro-state.ts";

export function payloadDrafts(record: Json, state: KiroState): Draft[] {
  const payload = asObject(record["payload"]);
  const entry: Entry = { ts: asTime(record["timestamp"]), key: asText(record["id"]) };
  const type = asText(payload["type"]) ?? "";
  const about = aboutDrafts(state);
  const own = typeDrafts(type, payload, entry, state);
  rememberRecord(state, entry.key);
  return [...about, ...own];
}

function typeDrafts(type: string, payload: Json, entry: Entry, state: KiroState): Draft[] {
  const content = wordsOf(payload["content"]);
  switch (type) {
    case "user":
      return promptDrafts(payload, content, entry, state);
    case "assistant":
      return answerDrafts(payload, content, entry, state);
    case "tool_call":
      return callDrafts(payload, entry, state);
    case "tool_result":
      if (state.call !== null) state.call.hasResult = true;
      return [resultDraft(payload, content, entry)];
    case "tombstone":
      return takenBack(payload, entry, state);
    case "steering_inclusion":
      return steeringDrafts(payload, entry);
    case "error":
      return [eventOf(entry, errorBody(payload))];
    case "system":
      return [eventOf(entry, { type: "system", subtype: "message", text: content })];
    case "session_start":
      // What the session begins with, written down behind its first turn.
      return [eventOf(entry, { type: "meta", subtype: "session_start", text: content, sent: "prefix" })];
    case "session_metadata":
      if (payload["key"] === "contextUsage") {
        state.hasSizes = true;
        if (state.call !== null) state.call.hasSize = true;
      }
      return [noteOf(entry, asText(payload["key"]) ?? type, metadataText(payload["value"]))];
    case "turn_start":
      state.call = null;
      return [noteOf(entry, type)];
    case "usage_summary":
      return [noteOf(entry, type, spentText(payload))];
  }
  const text = noteText(type, payload, content);
  return [text === null ? eventOf(entry, unknownBody("event", type, payload)) : noteOf(entry, type, clip(text, 2000))];
}

/** Known, and no conversation. Null for what is not known. */
function noteText(type: string, payload: Json, content: string): string | null {
  const of = (...names: readonly string[]): string =>
    names
      .map((name) => asText(payload[name]) ?? "")
      .filter((text) => text !== "")
      .join(" · ");
  switch (type) {
    case "turn_end":
      return of("stopReason");
    case "session_event":
      return of("category");
    case "pending_interaction":
      return of("interactionType", "question");
    case "interaction_resolved":
      return of("outcome", "selectedOption");
    case "sub_agent_start":
      return of("subAgentName", "explanation");
    case "sub_agent_progress":
      return of("message");
    case "sub_agent_complete":
      return of("status", "errorMessage");
    case "ContextualHookInvoked":
      return of("name", "status", "command", "output");
    case "mode_change":
      return of("fromMode", "toMode", "reason");
    case "tool_revert":
      return of("toolCallId");
    case "agent_note":
      return content;
  }
  return null;
}

function promptDrafts(payload: Json, text: string, entry: Entry, state: KiroState): Draft[] {
  state.call = null;
  const pictures = asArray(payload["images"])
    .map(asObject)
    .flatMap(({ data, mimeType }) =>
      asText(data) === null || asText(data) === ""
        ? []
        : [{ mediaType: asText(mimeType) ?? "image/png", base64: asText(data)! }],
    );
  // A hook's words are the person's neither.
  const injected = payload["source"] === "hook" ? { injected: "hook" } : {};
  const isPrompt = payload["source"] !== "hook";
  const body: EventBody = {
    type: "user",
    text,
    ...injected,
    ...(pictures.length > 0 && { images: imagesOf(pictures) }),
  };
  return [
    ...(isPrompt ? titleDrafts(text, state) : []),
    eventOf(entry, body, { startsTurn: isPrompt && (text !== "" || pictures.length > 0), attachments: pictures }),
    ...asArray(payload["contextItems"])
      .map(asObject)
      .filter((item) => asText(item["content"]) !== null)
      .map((item) => {
        const name = asText(item["name"]) ?? "";
        return eventOf(entry, { type: "user", text: `${name}\n${asText(item["content"])}`, injected: "file" });
      }),
  ];
}

function answerDrafts(payload: Json, text: string, entry: Entry, state: KiroState): Draft[] {
  const kind = asText(payload["operationType"]) ?? "Say";
  if (kind === "Summary") {
    const isNew = state.isSummed || state.count === 0;
    state.isSummed = false;
    state.call = null;
    return isNew ? summaryDrafts(text, entry) : [noteOf(entry, "summary", clip(text, 2000))];
  }
  const key = callKeyOf(entry, state, true);
  const model = asText(payload["reasoningModelId"])?.replace(/^qdev::/, "");
  return [
    eventOf(entry, kind === "Reasoning" ? thoughtBody(payload, text) : { type: "assistant", text }, { callKey: key }),
    callOf(key, entry.ts, state, null, model ?? state.about?.model ?? null),
  ];
}

/** The words of a thought are left out where only its provider can read it. */
function thoughtBody(payload: Json, text: string): EventBody {
  const sealed = asText(payload["reasoningRedactedContent"]) ?? asText(payload["reasoningSignature"]) ?? "";
  const isLeft = text === "" || text === "...";
  return {
    type: "reasoning",
    text: isLeft ? "" : text,
    ...(sealed !== "" && { signatureChars: sealed.length }),
    ...(isLeft && { encrypted: true }),
  };
}

function callDrafts(payload: Json, entry: Entry, state: KiroState): Draft[] {
  const key = callKeyOf(entry, state, false);
  const toolCallId = asText(payload["toolCallId"]);
  const agentId = asText(asObject(asObject(payload["_meta"])["kiro"])["agentSubtaskId"]);
  const input = payload["args"] ?? {};
  const toolName = asText(payload["toolName"]) ?? "unnamed";
  return [
    eventOf(entry, { type: "tool_call", toolCallId, toolName, input }, { callKey: key }),
    callOf(key, entry.ts, state),
    ...(toolCallId !== null && agentId !== null && state.inside === null
      ? [{ kind: "link" as const, lane: "", toolCallId, agentId }]
      : []),
  ];
}

/**
 * A call ends when its results are there and something new is said, or called once its size was told: what was called before that may
 * stand before the thoughts of the same answer. In files without sizes results alone end it.
 */
function callKeyOf(entry: Entry, state: KiroState, isSaid: boolean): string {
  const { call } = state;
  const isOver = call === null || (call.hasResult && (call.hasSize || (isSaid && !state.hasSizes)));
  if (isOver) state.call = { key: entry.key ?? `${state.id}/${state.count}`, hasSize: false, hasResult: false };
  return state.call!.key;
}

function resultDraft(payload: Json, text: string, entry: Entry): Draft {
  const durationMs = asWhole(payload["durationMs"]);
  const body: EventBody = {
    type: "tool_result",
    toolCallId: asText(payload["toolCallId"]),
    text,
    isError: payload["success"] === false,
    saw: "full",
    ...(durationMs !== null && { detail: { durationMs } }),
  };
  return eventOf(entry, body);
}

/** What came from a record on was taken back, or gives way to the summary that follows. */
function takenBack(payload: Json, entry: Entry, state: KiroState): Draft[] {
  const kind = asText(payload["kind"]) ?? "";
  const from = asText(payload["effectiveFromMessageId"]);
  if (kind === "summarization") state.isSummed = true;
  if (kind !== "checkpoint_revert") return [noteOf(entry, "tombstone", kind)];
  state.call = null;
  const at = state.tails.indexOf(from);
  if (from === null || at < 0) return [noteOf(entry, "tombstone", kind)];
  if (at > 0) return [rewindOf(entry, state.tails[at - 1] ?? null)];
  return [state.tails.length === state.count ? rewindOf(entry, null) : noteOf(entry, "tombstone", kind)];
}

function steeringDrafts(payload: Json, entry: Entry): Draft[] {
  const documents = asArray(payload["documents"]);
  const sent = documents
    .map(asObject)
    .filter((one) => asText(one["content"]) !== null)
    .map((one): Draft => {
      const name = asText(one["displayName"]) ?? asText(one["id"]) ?? "";
      return eventOf(entry, { type: "user", text: `${name}\n${asText(one["content"])}`, injected: "steering" });
    });
  const named = documents.filter((one) => typeof one === "string").join(", ");
  return sent.length > 0 && named === "" ? sent : [...sent, noteOf(entry, "steering_inclusion", clip(named, 2000))];
}

function errorBody(payload: Json): EventBody {
  const code = asText(payload["code"]);
  return { type: "error", text: asText(payload["message"]) ?? "", ...(code !== null && { code }) };
}

/** Words, or a list of blocks of them. */
const wordsOf = (content: unknown): string =>
  asText(content) ??
  asArray(content)
    .map((block) => asText(block) ?? asText(asObject(block)["text"]) ?? jsonText(block ?? null))
    .join("\n");

function metadataText(value: unknown): string {
  const percent = asNumber(asObject(value)["usagePercentage"]);
  if (percent !== null) return `${Math.round(percent * 100) / 100} % of the context window`;
  return clip(asText(asObject(value)["text"]) ?? asText(value) ?? (isObject(value) ? jsonText(value) : ""), 2000);
}

function spentText(payload: Json): string {
  const turns = payload["promptTurnSummaries"];
  const others = asArray(turns)
    .map(asObject)
    .filter(({ unit }) => unit !== "credit")
    .map((one) => `${jsonText(one["usage"] ?? 0)} ${asText(one["unitPlural"]) ?? asText(one["unit"]) ?? ""}`.trim());
  const credits = creditsIn(turns, "usage");
  return [...(credits > 0 ? [creditsText(credits)] : []), ...others, asText(payload["status"]) ?? ""]
    .filter((text) => text !== "")
    .join(" · ");
}
