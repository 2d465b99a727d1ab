// One line of a pi session: the header, a message, or an entry that is none. Entries form a tree; one that does not follow the
// line above goes on from an earlier one.
import { jsonText } from "#lib/kernel/json-text.ts";
import { CONTINUES } from "#lib/kernel/continuation.ts";
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, asTime, asWhole, clip, isObject, ownEntry, type Json } from "../json.ts";
import { insideRuns } from "./inside-runs.ts";
import { draftOf, noteOf, type Entry } from "./pi-drafts.ts";
import { BRANCH_WORDS, COMPACTION_WORDS, injected, messageDrafts, wrapped } from "./pi-messages.ts";
import { entryKey, isHeader, remembered, rememberMessage, sessionOfPath, textsOf, type PiState } from "./pi-state.ts";
import { entryCall } from "./pi-usage.ts";

/** Entries that carry no conversation, with the field that says what they are about. */
const NOTES: Readonly<Record<string, readonly string[]>> = {
  thinking_level_change: ["thinkingLevel"],
  model_change: ["provider", "modelId"],
  label: ["label"],
  session_info: ["name"],
  custom: ["customType"],
  // Of a fork, in its first line.
  title: ["title"],
};

export function entryDrafts(value: unknown, state: PiState, agentName: string): Draft[] {
  const drafts: Draft[] = [];
  if (!state.named) {
    state.named = true;
    drafts.push({ kind: "session", lane: "", patch: { agentName } });
  }
  const index = state.index++;
  if (!isObject(value)) {
    const text = clip(jsonText(value), 500);
    return [...drafts, noRecord({ lane: "", ts: null, key: null }, "The line is JSON, but not an object.", text)];
  }
  if (isHeader(value) && value["message"] === undefined) return [...drafts, ...headerDrafts(value, state)];
  const ts = asTime(value["timestamp"]) ?? asTime(asObject(value["message"])["timestamp"]);
  const id = asText(value["id"]) ?? (state.version < 2 ? `#${index}` : null);
  if (id !== null) state.salt ??= `${asText(value["timestamp"]) ?? ""} ${asText(value["id"]) ?? ""}`;
  const entry: Entry = { lane: "", ts, key: id === null ? null : entryKey(state, id) };
  drafts.push(...branchDrafts(value, entry, state));
  state.tip = id ?? state.tip;
  return [...drafts, ...ownDrafts(value, entry, state)];
}

/** An entry with another parent than the line above goes on from there. A parent that is in no line moves nothing. */
function branchDrafts(value: Json, entry: Entry, state: PiState): Draft[] {
  const parent = value["parentId"];
  if (state.tip === null || (parent !== null && typeof parent !== "string") || parent === state.tip) return [];
  return [draftOf(entry, { type: "rewind", text: "", after: parent === null ? null : entryKey(state, parent) })];
}

const noRecord = (entry: Entry, reason: string, text: string): Draft =>
  draftOf(entry, { type: "unknown", reason, text });

function headerDrafts(header: Json, state: PiState): Draft[] {
  const id = asText(header["id"]);
  const entry: Entry = { lane: "", ts: asTime(header["timestamp"]), key: id === null ? null : `session/${id}` };
  const drafts: Draft[] = [noteOf(entry, "session", asText(header["cwd"]) ?? "")];
  // A second header was written into a file that two processes began.
  if (state.index > 1 && state.id !== null && id !== state.id) return drafts;
  state.id ??= id;
  if (typeof header["version"] === "number") state.version = header["version"];
  const from = asText(header["parentSession"]) ?? asText(header["branchedFrom"]);
  const parent = from === null ? null : sessionOfPath(from);
  const continued = asText(header[CONTINUES]);
  const cwd = asText(header["cwd"]);
  const { listed } = state;
  const patch: SessionPatch = {
    ...(cwd !== null && cwd !== "" && { cwd }),
    ...(entry.ts !== null && { startedAt: entry.ts }),
    ...(parent !== null && parent !== id && { parent, relation: "fork" as const }),
    ...(continued !== null && { parent: continued, relation: "continuation" as const }),
    ...(listed?.parent != null && { parent: listed.parent, relation: "subagent" as const }),
    ...(listed?.title != null && { title: clip(listed.title, 300), titleRank: 1 as const }),
  };
  const model = asText(header["modelId"]);
  if (model !== null) state.model = model;
  return [{ kind: "session", lane: "", patch: { ...patch, ...(model !== null && { model }) } }, ...drafts];
}

function ownDrafts(value: Json, entry: Entry, state: PiState): Draft[] {
  const type = asText(value["type"]) ?? "";
  switch (type) {
    case "message": {
      const message = asObject(value["message"]);
      rememberMessage(state, message, asText(value["id"]));
      const inside = insideRuns(message, entry, (one, at) => messageDrafts(one, at, state));
      return [...messageDrafts(message, entry, state), ...inside];
    }
    case "custom_message":
      return [injected(value["content"], entry, asText(value["customType"]) ?? "extension")];
    case "branch_summary": {
      const summary = asText(value["summary"]) ?? "";
      const used = entryCall(value, "branch summary", state.model, entry, state);
      return [...used, summary === "" ? noteOf(entry, type) : wrapped(summary, entry, BRANCH_WORDS, type)];
    }
    case "usage": {
      const used = entryCall(value, asText(value["kind"]) ?? type, asText(value["model"]), entry, state);
      return used.length > 0 ? used : [noteOf(entry, type)];
    }
    case "compaction":
      return compaction(value, entry, state);
    case "context_edit":
      return [contextEdit(value, entry, state)];
    case "reset":
      return [resetDraft(value, entry, state)];
  }
  const fields = ownEntry(NOTES, type);
  if (fields === undefined)
    return [noRecord(entry, `An entry of type "${clip(type, 60)}", which is not known.`, clip(jsonText(value), 1000))];
  const words = fields.flatMap((field) => asText(value[field]) ?? []).join("/");
  return [...patchOf(type, value, state), noteOf(entry, type, clip(words, 300))];
}

function patchOf(type: string, value: Json, state: PiState): Draft[] {
  const title = type === "title" ? (asText(value["title"])?.trim() ?? "") : "";
  if (title !== "") return [{ kind: "session", lane: "", patch: { title: clip(title, 300), titleRank: 1 } }];
  const name = type === "session_info" ? (asText(value["name"])?.trim() ?? "") : "";
  if (name !== "") return [{ kind: "session", lane: "", patch: { title: clip(name, 300), titleRank: 2 } }];
  const model = type === "model_change" ? asText(value["modelId"]) : null;
  if (model === null || model === state.model) return [];
  state.model = model;
  return [{ kind: "session", lane: "", patch: { model } }];
}

/** A summary takes the place of everything before the first entry that was kept; the entries themselves stay in the file. */
function compaction(value: Json, entry: Entry, state: PiState): Draft[] {
  const summary = asText(value["summary"]) ?? "";
  const [tail] = asArray(value["retainedTail"]).filter(isObject);
  const first =
    asText(value["firstKeptEntryId"]) ??
    firstKeptByIndex(value["firstKeptEntryIndex"], state) ??
    (tail === undefined ? null : remembered(state, tail));
  return [
    ...entryCall(value, "compaction", state.model, entry, state),
    draftOf(entry, {
      type: "compaction",
      kind: "full",
      // Of a session that was carried on by hand.
      trigger: value["fromHook"] === true ? "extension" : asText(value["trigger"]),
      tokensBefore: asWhole(value["tokensBefore"]),
      tokensAfter: null,
      text: summary,
      ...(first !== null && { keptFrom: entryKey(state, first) }),
    }),
    ...(summary === "" ? [] : [wrapped(summary, entry, COMPACTION_WORDS, "summary")]),
  ];
}

/** One earlier entry is left out of what is sent from here on, or goes in other words. */
function contextEdit(value: Json, entry: Entry, state: PiState): Draft {
  const target = asText(value["targetId"]);
  const text = textsOf(asObject(value["replacement"])["content"] ?? value["replacement"]).join("\n");
  if (target === null) return noteOf(entry, "context_edit", clip(text, 300));
  return draftOf(entry, {
    ...{ type: "compaction", kind: "micro", trigger: "context_edit", tokensBefore: null, tokensAfter: null, text },
    clearedRecords: [entryKey(state, target)],
  });
}

/** OpenClaw begins anew in the same log, with or without the last messages. */
function resetDraft(value: Json, entry: Entry, state: PiState): Draft {
  const first = asText(value["firstKeptEntryId"]);
  const text = asText(value["reason"]) ?? "";
  if (first === null) return draftOf(entry, { type: "rewind", text, after: null });
  return draftOf(entry, {
    ...{ type: "compaction", kind: "full", trigger: "reset", tokensBefore: null, tokensAfter: null, text: "" },
    keptFrom: entryKey(state, first),
  });
}

/** Version 1 names the line by its number, the header's being 0. */
function firstKeptByIndex(index: unknown, state: PiState): string | null {
  const number = asWhole(index);
  return number === null || number < 1 || state.version >= 2 ? null : `#${number}`;
}
