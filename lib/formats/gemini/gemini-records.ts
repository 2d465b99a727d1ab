// One line of a chat of Gemini CLI: its header, a message, a change of the header, which may bring a new list of all messages, or a
// way back.
import { CONTINUES } from "#lib/kernel/continuation.ts";
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { partsOf, wordsOf } from "../google-content.ts";
import { asArray, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { isContext, isKnown, maskedDrafts, messageDrafts } from "./gemini-messages.ts";
import { isHeader, nameOf, type GeminiState } from "./gemini-state.ts";

export function recordDrafts(value: unknown, state: GeminiState): Draft[] {
  if (!isObject(value)) {
    const body = { type: "unknown" as const, reason: "The line is JSON, but not an object.", text: "" };
    return [...named(state), eventOf({ ts: null, key: null }, { ...body, text: clip(jsonText(value), 500) })];
  }
  const back = asText(value["$rewindTo"]);
  if (back !== null) return [...named(state), rewind(back, state)];
  if (isObject(value["$set"])) return [...named(state), ...changeDrafts(value["$set"], state)];
  if (asText(value["id"]) !== null) return [...named(state), ...messageDrafts(value, state)];
  if (isHeader(value))
    return [
      ...headerDrafts(value, state),
      ...asArray(value["messages"]).flatMap((one) => (isObject(one) ? messageDrafts(one, state) : [])),
    ];
  const body = { type: "unknown" as const, reason: "A record of a kind that is not known.", text: "" };
  return [...named(state), eventOf({ ts: null, key: null }, { ...body, text: clip(jsonText(value), 1000) })];
}

const patched = (patch: SessionPatch): Draft => ({ kind: "session", lane: "", patch });

function named(state: GeminiState): Draft[] {
  if (state.named) return [];
  state.named = true;
  const { agentName, cwd, parent } = state;
  return [
    patched({
      agentName,
      ...(cwd !== null && { cwd }),
      ...(parent !== null && { parent, relation: "subagent" as const }),
    }),
  ];
}

export function headerDrafts(header: Json, state: GeminiState): Draft[] {
  const id = asText(header["sessionId"]);
  if (header["kind"] !== "subagent") state.parent = null;
  state.id ??= id;
  const startedAt = asTime(header["startTime"]);
  const continued = asText(header[CONTINUES]);
  const { messages: _, ...rest } = header;
  return [
    ...named(state),
    patched({
      ...(startedAt !== null && { startedAt }),
      ...(continued !== null && { parent: continued, relation: "continuation" as const }),
    }),
    ...summaryOf(header),
    eventOf({ ts: startedAt, key: null }, { type: "meta", subtype: "session", text: clip(jsonText(rest), 500) }),
  ];
}

function summaryOf(header: Json): Draft[] {
  const summary = asText(header["summary"])?.trim() ?? "";
  return summary === "" ? [] : [patched({ title: clip(summary, 300), titleRank: 1 })];
}

/** Most changes say when the chat was written last. A list of messages takes the place of all before. */
function changeDrafts(change: Json, state: GeminiState): Draft[] {
  const { messages, lastUpdated: _, ...rest } = change;
  const entry: Entry = { ts: asTime(change["lastUpdated"]), key: null };
  const drafts = [patched({}), ...summaryOf(change)];
  state.id ??= asText(change["sessionId"]);
  if (Object.keys(rest).length > 0)
    drafts.push(eventOf(entry, { type: "meta", subtype: "update", text: clip(jsonText(rest), 1000) }));
  if (Array.isArray(messages)) drafts.push(...listDrafts(messages.filter(isObject), entry, state));
  return drafts;
}

function listDrafts(messages: readonly Json[], entry: Entry, state: GeminiState): Draft[] {
  // A session that is resumed begins as a new one; the list of all messages follows.
  if (state.known.length > 1 && messages.length > 0 && messages.every(isContext))
    return [noteOf(entry, "environment", clip(textsOf(messages[0]!), 1000))];
  const ids = new Set(messages.map((one) => nameOf(asText(one["id"]) ?? "", state)));
  const gone = state.known.filter((id) => !ids.has(id));
  const kept = messages.filter((one) => isKnown(one, state));
  const added = messages.filter((one) => !kept.includes(one));
  const summary = added.map(textsOf).find((text) => SNAPSHOT.test(text));
  // What a part of a file begins with may follow what stands in the part before.
  const isCut = gone.some((id) => id !== state.context) || (state.id === null && summary !== undefined);
  if (!isCut) {
    const renewed = gone.length > 0 ? added.find(isContext) : undefined;
    if (renewed !== undefined) state.context = nameOf(asText(renewed["id"]) ?? "", state);
    if (renewed !== undefined) state.known = [state.context!, ...state.known.filter((id) => ids.has(id))];
    const rest = added.filter((one) => one !== renewed);
    return [
      ...(renewed === undefined ? [] : [noteOf(entry, "environment", clip(textsOf(renewed), 1000))]),
      ...maskedDrafts(kept, entry, state),
      // An answer's tokens may first stand in the list. A copy behind a summary has none: it is no call.
      ...kept.filter(({ tokens }) => tokens !== undefined).flatMap((one) => messageDrafts(one, state)),
      ...rest.flatMap((one) => messageDrafts(one, state)),
    ];
  }
  const preserved = kept.map((one) => nameOf(asText(one["id"]) ?? "", state));
  state.known = state.known.filter((id) => ids.has(id));
  // What stays behind a summary stands in the list under new ids, results too.
  const isCopied = summary !== undefined;
  if (isCopied) state.answered = [];
  return [
    eventOf(entry, {
      type: "compaction",
      kind: "full",
      trigger: null,
      tokensBefore: null,
      tokensAfter: null,
      text: summary ?? "",
      ...(preserved.length > 0 && { preserved }),
    }),
    ...added.flatMap((one) => messageDrafts(one, state, isCopied)),
  ];
}

const SNAPSHOT = /<state_snapshot>/;
const textsOf = (message: Json): string => wordsOf(partsOf(message["content"])).text;

/** All from the message on is gone; of one that is not known, everything. */
function rewind(id: string, state: GeminiState): Draft {
  const at = state.known.indexOf(nameOf(id, state));
  const before = at > 0 ? state.known[at - 1]! : null;
  state.known = at < 0 ? [] : state.known.slice(0, at);
  return eventOf({ ts: null, key: null }, { type: "rewind", text: "", after: before });
}
