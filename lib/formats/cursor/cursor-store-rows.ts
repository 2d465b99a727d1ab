// Rows of a store of Cursor's terminal agent as drafts. A message is as the model is sent it, in the words of the AI SDK; none has a time.
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { TableRow } from "../database-rows.ts";
import { asNumber, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { paired } from "../messages/call-pairing.ts";
import { partsOf, pieceOf, type Piece } from "../messages/message-parts.ts";
import { imagesOf, patchOf } from "../placed-drafts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { folderOf, modelOf } from "./cursor-bubbles.ts";
import { saidBody, saidIn, timeIn, type CursorState } from "./cursor-messages.ts";

/** What Cursor calls a conversation that has no name yet. */
const UNNAMED = "New Agent";

export function storeRowDrafts({ table, row }: TableRow, state: CursorState): Draft[] | null {
  switch (table) {
    case "chat":
      return chatDrafts(row, state);
    case "unlisted": {
      const reason = "No list of messages can be read: this is the order in which they were written.";
      return [unknownOf({ ts: null, key: "unlisted" }, reason, asText(row["root"]) ?? "")];
    }
    case "message":
      return rowDrafts(row, { ts: null, key: asText(row["id"]) }, state);
    case "context":
      return contextDrafts(row, state);
  }
  return null;
}

const unknownOf = (entry: Entry, reason: string, text: string): Draft =>
  eventOf(entry, { type: "unknown", reason, text: clip(text, 1000) });

function chatDrafts(row: Json, state: CursorState): Draft[] {
  const name = asText(row["name"])?.trim() ?? "";
  const title = name === UNNAMED ? "" : name;
  const [cwd, branch] = [folderOf(row["folder"]), asText(row["branch"]) ?? ""];
  const startedAt = asTime(row["createdAt"]);
  state.hasTitle ||= title !== "";
  state.model = modelOf(row["model"]);
  const patch: SessionPatch = {
    agentName: "Cursor",
    quality: "Cursor's store has no tokens of calls and no times of messages.",
    ...(title !== "" && { title: clip(title, 300), titleRank: 1 as const }),
    ...(state.model !== null && { model: state.model }),
    ...(cwd !== null && { cwd }),
    ...(branch !== "" && { branch }),
    ...(startedAt !== null && { startedAt }),
  };
  return [patchOf("", patch), noteOf({ ts: startedAt, key: null }, "session", asText(row["mode"]) ?? "")];
}

function rowDrafts(row: Json, entry: Entry, state: CursorState): Draft[] {
  if (row["summary"] != null) {
    state.isSummarised = true;
    return [compactionOf(entry, asText(row["summary"]) ?? jsonText(row["summary"]))];
  }
  const message = row["data"];
  if (message == null) return [unknownOf(entry, "The store lists this message and does not have it.", entry.key ?? "")];
  if (!isObject(message) || "base64" in message) {
    const text = isObject(message) ? message["base64"] : message;
    return [unknownOf(entry, "A message that is not JSON; it may be encrypted.", asText(text) ?? jsonText(text))];
  }
  const drafts = messageDrafts(message, entry, state);
  return drafts.length > 0 ? drafts : [noteOf(entry, "empty message")];
}

function messageDrafts(message: Json, entry: Entry, state: CursorState): Draft[] {
  const own = asObject(asObject(message["providerOptions"])["cursor"]);
  const parts = partsOf(message["content"]);
  switch (message["role"]) {
    case "system": {
      const text = parts.map((part) => asText(part) ?? asText(asObject(part)["text"]) ?? jsonText(part)).join("\n");
      return [eventOf(entry, { type: "system", subtype: "prompt", text })];
    }
    case "user":
      if (own["isSummary"] === true) return summaryDrafts(parts, entry, state);
      return parts.flatMap((part, i) =>
        pieceOf(part).flatMap((piece, k) => userDrafts(piece, `${i}.${k}`, entry, state)),
      );
    case "assistant":
      return answerDrafts(parts, entry, state);
    case "tool":
      return parts.flatMap((part, i) => resultDrafts(asObject(part), i, own, entry, state));
  }
  const reason = `A message of role "${clip(asText(message["role"]) ?? "", 60)}", which is not known.`;
  return [unknownOf(entry, reason, jsonText(message))];
}

function userDrafts(piece: Piece, name: string, entry: Entry, state: CursorState): Draft[] {
  if (piece.kind === "event") return [eventDraft(piece, name, entry, null, state)];
  if (piece.kind === "image") {
    const attachments = [piece.attachment];
    const body: EventBody = { type: "user", text: "", injected: "file", images: imagesOf(attachments) };
    return [eventOf(entry, body, { attachments })];
  }
  const { title, said } = saidIn(piece.text, state);
  const at = { ...entry, ts: timeIn(piece.text) ?? entry.ts };
  return [...title, ...said.map((part) => eventOf(at, saidBody(part), { startsTurn: !part.isFrame }))];
}

const compactionOf = (entry: Entry, text: string): Draft =>
  eventOf(entry, {
    ...{ type: "compaction", kind: "full", trigger: null },
    ...{ tokensBefore: null, tokensAfter: null, text },
  });

/** The model reads the summary as a message of its own. Without an archive it is the one sign of a compaction. */
function summaryDrafts(parts: readonly unknown[], entry: Entry, state: CursorState): Draft[] {
  const text = parts.map((part) => asText(part) ?? asText(asObject(part)["text"]) ?? "").join("\n");
  const isTold = state.isSummarised === true;
  state.isSummarised = false;
  const message = eventOf(entry, { type: "user", text, injected: "summary" });
  return isTold ? [message] : [compactionOf(entry, text), message];
}

function answerDrafts(parts: readonly unknown[], entry: Entry, state: CursorState): Draft[] {
  const callKey = entry.key ?? "";
  const told = parts.map((part) =>
    modelOf(asObject(asObject(asObject(part)["providerOptions"])["cursor"])["modelName"]),
  );
  const model = told.find((name) => name !== null) ?? state.model ?? null;
  const patch = model === null || model === state.model ? [] : [patchOf("", { model })];
  state.model = model;
  state.callKey = callKey;
  const drafts = parts.flatMap((part, i) =>
    pieceOf(part).map((piece, k): Draft => {
      if (piece.kind === "event") return eventDraft(piece, `${i}.${k}`, entry, callKey, state);
      if (piece.kind === "text") return eventOf(entry, { type: "assistant", text: piece.text }, { callKey });
      const attachments = [piece.attachment];
      const body: EventBody = { type: "assistant", text: "", images: imagesOf(attachments) };
      return eventOf(entry, body, { callKey, attachments });
    }),
  );
  if (drafts.length === 0) drafts.push(noteOf(entry, "empty answer", "", callKey));
  const call: Draft = {
    ...{ kind: "call", lane: "", key: callKey, ts: null },
    ...{ model, usage: null, outputLowerBound: false },
  };
  return [...patch, ...drafts, call];
}

function resultDrafts(part: Json, index: number, own: Json, entry: Entry, state: CursorState): Draft[] {
  const outcome = asObject(own["highLevelToolCallResult"]);
  const isError = outcome["isError"] === true || asObject(outcome["output"])["isError"] === true;
  // Images stand in a second list beside the text.
  const result = part["result"] ?? part["experimental_content"];
  return pieceOf({ ...part, result, ...(isError && { isError }) }).map((piece, k): Draft => {
    if (piece.kind === "event") return eventDraft(piece, `${index}.${k}`, entry, null, state);
    const text = piece.kind === "text" ? piece.text : jsonText(part);
    return eventOf(entry, { type: "user", text, injected: "environment" });
  });
}

function eventDraft(
  { body, attachments = [] }: Extract<Piece, { kind: "event" }>,
  name: string,
  entry: Entry,
  callKey: string | null,
  state: CursorState,
): Draft {
  const own = paired(body, `${(entry.key ?? "").slice(0, 16)}.${name}`, state.pairing);
  return eventOf(entry, own, { callKey: own.type === "tool_result" ? null : callKey, attachments });
}

/** What Cursor counts is the context at the end, and no usage of any call. */
function contextDrafts(row: Json, state: CursorState): Draft[] {
  const [used, window] = [asNumber(row["used"]), asNumber(row["window"])];
  const text = `${used ?? "?"} tokens${window === null ? "" : ` of ${window}`}, as Cursor counted`;
  const drafts = [noteOf({ ts: null, key: null }, "context", text)];
  const key = state.callKey ?? "";
  if (window === null || key === "") return drafts;
  const call = { lane: "", key, ts: null, model: state.model ?? null, usage: null, outputLowerBound: false, window };
  return [...drafts, { kind: "call", ...call }];
}
