// Messages of Hermes: rows in the shape of OpenAI's chat, each with what was thought beside it.
import type { Attachment, Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { parseJson } from "../json-parts.ts";
import { callOf, partsOf, pieceOf, resultPiece } from "../messages/message-parts.ts";
import { imagesOf, printOf } from "../placed-drafts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";

export type HermesState = {
  id: string | null;
  /** Null where several models answered: no message says which. */
  model: string | null;
  hasTitle: boolean;
  /** The last message that is still in the conversation. */
  last: string | null;
  /** Messages behind it were undone, and nothing came after them yet. */
  isUndone: boolean;
};

/** Before content that is a list of parts. */
const PARTS = "\0json:";
const SUMMARY = /^\s*\[CONTEXT (?:COMPACTION|SUMMARY)\b/;

export function messageDrafts(row: Json, state: HermesState): Draft[] {
  const { role, timestamp, content, tool_call_id: callId, tool_calls: calls } = row;
  // A session that goes on after a compaction begins with copies, which have other numbers.
  const key = printOf(jsonText([role, timestamp, content, callId ?? null, calls ?? null]));
  const entry: Entry = { ts: asTime(timestamp), key };
  const isUndone = row["undone"] === 1;
  const before = isUndone ? [] : rewindDrafts(entry, state);
  if (isUndone) state.isUndone = true;
  else state.last = key;
  return [...before, ...roleDrafts(row, asText(role) ?? "", entry, state)];
}

/** What was undone lies before this. */
export function rewindDrafts({ ts, key }: Entry, state: HermesState): Draft[] {
  if (!state.isUndone) return [];
  state.isUndone = false;
  return [eventOf({ ts, key: key && `${key}/rewind` }, { type: "rewind", text: "", after: state.last })];
}

function roleDrafts(row: Json, role: string, entry: Entry, state: HermesState): Draft[] {
  const content = contentOf(row["content"]);
  const { text } = wordsOf(content);
  if (row["_compressed_summary"] === 1 || (role !== "tool" && SUMMARY.test(text))) return summaryDrafts(text, entry);
  switch (role) {
    case "user":
      return userDrafts(content, row, entry, state);
    case "assistant":
      return answerDrafts(text, row, entry, state);
    case "tool": {
      const piece = resultPiece(asText(row["tool_call_id"]), content);
      return piece.kind === "event" ? [eventOf(entry, piece.body, { attachments: piece.attachments ?? [] })] : [];
    }
    case "system":
      return [eventOf(entry, { type: "system", subtype: "prompt", text })];
  }
  return [noteOf(entry, clip(role === "" ? "message" : role, 60), clip(text, 1000))];
}

/** A text, or parts. The database hands a text over in an object, so that none is taken for JSON. */
function contentOf(value: unknown): unknown {
  const given = isObject(value) ? value["text"] : value;
  if (typeof given !== "string") return given ?? "";
  return given.startsWith(PARTS) ? (parseJson(given.slice(PARTS.length)) ?? given.slice(PARTS.length)) : given;
}

function wordsOf(content: unknown): { text: string; attachments: Attachment[]; others: EventBody[] } {
  const pieces = partsOf(content).flatMap(pieceOf);
  return {
    text: pieces.flatMap((piece) => (piece.kind === "text" ? [piece.text] : [])).join("\n"),
    attachments: pieces.flatMap((piece) => (piece.kind === "image" ? [piece.attachment] : [])),
    others: pieces.flatMap((piece) => (piece.kind === "event" ? [piece.body] : [])),
  };
}

function userDrafts(content: unknown, row: Json, entry: Entry, state: HermesState): Draft[] {
  const { text, attachments, others } = wordsOf(content);
  const injected = row["display_kind"] === "hidden" ? "reminder" : row["observed"] === 1 ? "environment" : null;
  const images = imagesOf(attachments);
  const drafts: Draft[] = others.map((body) => eventOf(entry, body));
  if (text.trim() === "" && images.length === 0)
    return drafts.length > 0 ? drafts : [noteOf(entry, "user message", "")];
  if (injected === null && !state.hasTitle && text.trim() !== "") {
    state.hasTitle = true;
    drafts.push({ kind: "session", lane: "", patch: { title: clip(text.trim(), 300), titleRank: 0 } });
  }
  const body: EventBody = {
    ...{ type: "user", text },
    ...(images.length > 0 && { images }),
    ...(injected !== null && { injected }),
  };
  return [...drafts, eventOf(entry, body, { attachments, startsTurn: injected === null })];
}

function answerDrafts(said: string, row: Json, entry: Entry, state: HermesState): Draft[] {
  const callKey = entry.key!;
  const own = { callKey };
  const drafts: Draft[] = [];
  const thought = asText(row["reasoning"]) || asText(row["reasoning_content"]) || "";
  const signatureChars = asArray(row["codex_reasoning_items"])
    .map((item) => (asText(asObject(item)["encrypted_content"]) ?? "").length)
    .reduce((sum, chars) => sum + chars, 0);
  if (thought !== "" || signatureChars > 0) {
    const sealed = signatureChars > 0 ? { signatureChars, encrypted: true } : {};
    drafts.push(eventOf(entry, { type: "reasoning", text: thought, ...sealed }, own));
  }
  const text = said === "" ? responseText(row["codex_message_items"]) : said;
  if (text !== "") drafts.push(eventOf(entry, { type: "assistant", text }, own));
  for (const call of asArray(row["tool_calls"])) drafts.push(eventOf(entry, callOf(asObject(call)), own));
  const reason = asText(row["finish_reason"]) ?? "";
  if (drafts.length === 0) drafts.push(noteOf(entry, "answer", clip(reason, 60), callKey));
  const call = { key: callKey, ts: entry.ts, model: state.model, usage: null, outputLowerBound: false };
  return [...drafts, { kind: "call", lane: "", ...call }];
}

/** An answer of the Responses interface may be in its items alone; commentary on the way is no part of it. */
const responseText = (items: unknown): string =>
  asArray(items)
    .map(asObject)
    .filter(({ phase }) => phase === undefined || phase === null || phase === "final_answer")
    .flatMap((item) => asArray(item["content"]).flatMap((part) => asText(asObject(part)["text"]) ?? []))
    .join("\n");

function summaryDrafts(text: string, entry: Entry): Draft[] {
  const nothing = { trigger: null, tokensBefore: null, tokensAfter: null };
  return [
    eventOf(entry, { type: "compaction", kind: "full", ...nothing, text }),
    eventOf(entry, { type: "user", text, injected: "summary" }),
  ];
}
