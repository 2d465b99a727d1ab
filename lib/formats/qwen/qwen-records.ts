// One record of a chat of Qwen Code: a message, or a note of the client.
import { CONTINUES } from "#lib/kernel/continuation.ts";
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asText, asTime, clip, isObject, type Json } from "../json.ts";
import { answerDrafts, resultDrafts, userDrafts } from "./qwen-messages.ts";
import { systemDrafts } from "./qwen-system.ts";
import { eventOf, noteOf, type Entry } from "./qwen-drafts.ts";
import type { QwenState } from "./qwen-state.ts";

export function recordDrafts(value: unknown, state: QwenState): Draft[] {
  const drafts: Draft[] = [];
  if (!state.named) {
    state.named = true;
    drafts.push({ kind: "session", lane: "", patch: firstPatch(state) });
  }
  if (!isObject(value)) {
    const reason = "The line is JSON, but not an object.";
    return [...drafts, eventOf({ ts: null, key: null }, { type: "unknown", reason, text: clip(jsonText(value), 500) })];
  }
  state.id ??= asText(value["sessionId"]);
  const key = asText(value["uuid"]);
  const entry: Entry = { ts: asTime(value["timestamp"]), key };
  const continued = asText(value[CONTINUES]);
  if (continued !== null)
    drafts.push({ kind: "session", lane: "", patch: { parent: continued, relation: "continuation" } });
  return [
    ...drafts,
    ...sessionDrafts(value, state),
    ...treeDrafts(value, entry, state),
    ...ownDrafts(value, entry, state),
  ];
}

function firstPatch({ id, agentId, launched }: QwenState): SessionPatch {
  const { title, toolCallId, model } = launched;
  return {
    agentName: "Qwen Code",
    ...(model !== null && { model }),
    ...(agentId !== null && id !== null && { parent: id, relation: "subagent" as const, parentToolCallId: toolCallId }),
    ...(title !== null && { title: clip(title, 300), titleRank: 1 as const }),
  };
}

function sessionDrafts(record: Json, state: QwenState): Draft[] {
  const version = asText(record["version"]);
  if (version === null || version === state.version) return [];
  const isFirst = state.version === null;
  state.version = version;
  const cwd = asText(record["cwd"]);
  const branch = asText(record["gitBranch"]);
  const startedAt = asTime(record["timestamp"]);
  const patch: SessionPatch = {
    agentVersion: version,
    ...(cwd !== null && cwd !== "" && { cwd }),
    ...(branch !== null && branch !== "" && { branch }),
    ...(isFirst && startedAt !== null && { startedAt }),
  };
  return [{ kind: "session", lane: "", patch }];
}

/** Written once more now and then, so that a title stays near the end of the file: what follows does not name them. */
const BESIDE = new Set(["custom_title", "session_source"]);

/** A record with another parent than the one before goes on from there: a rewind. */
function treeDrafts(record: Json, entry: Entry, state: QwenState): Draft[] {
  const parent = record["parentUuid"];
  const { tip, side } = state;
  if (entry.key === null || (parent !== null && typeof parent !== "string")) return [];
  // A part of a sub-agent's file may begin within an answer, whose first record has its counts.
  if (tip === null && state.agentId !== null) state.call = parent;
  state.before = tip === null ? parent : null;
  const follows = tip === null || parent === tip || (side !== null && parent === side);
  if (follows && tip !== null && BESIDE.has(asText(record["subtype"]) ?? "")) {
    state.side = entry.key;
    return [];
  }
  state.tip = entry.key;
  state.side = null;
  return follows ? [] : [eventOf(entry, { type: "rewind", text: "", after: parent })];
}

function ownDrafts(record: Json, entry: Entry, state: QwenState): Draft[] {
  const type = asText(record["type"]) ?? "";
  // Words that were spoken beside the chat: no request has them.
  if (record["subtype"] === "realtime_message") return [noteOf(entry, "realtime_message", textIn(record))];
  switch (type) {
    case "user":
      return userDrafts(record, entry, state);
    case "assistant":
      return answerDrafts(record, entry, state);
    case "tool_result":
      return resultDrafts(record, entry, state);
    case "system":
      return systemDrafts(record, entry, state);
  }
  const reason = `A record of type "${clip(type, 60)}", which is not known.`;
  return [eventOf(entry, { type: "unknown", reason, text: clip(jsonText(record), 1000) })];
}

const textIn = (record: Json): string => clip(jsonText(record["message"] ?? null), 2000);
