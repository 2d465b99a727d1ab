// One row of an OpenCode session: the session, a message, or a part of the message above.
import type { Draft, SessionPatch } from "#lib/kernel/draft.ts";
import type { TableRow } from "../database-rows.ts";
import { asObject, asText, clip, type Json } from "../json.ts";
import { CONTINUATION_ROWS } from "./opencode-copies.ts";
import { asMs, draftOf, noteOf, type RowLine } from "./opencode-drafts.ts";
import { copiedOf, originalPart, type Copied } from "./opencode-forks.ts";
import { partDrafts } from "./opencode-parts.ts";
import { originalIn, rememberCopy, type OpenCodeState } from "./opencode-state.ts";
import { sessionMessageDrafts } from "./session-messages.ts";

export function rowDrafts({ table, row }: TableRow, state: OpenCodeState): Draft[] | null {
  const copied = copiedOf(row);
  if (copied !== null) return copyDrafts(copied, state);
  const id = asText(row["id"]);
  const key = id === null ? null : nameOf(table, id, row, state);
  const line: RowLine = { ts: asMs(row["time_created"]), key };
  switch (table) {
    case "session_v2":
    case "session":
      return sessionDrafts(row, line, state);
    case CONTINUATION_ROWS:
      return continuationDrafts(row, state);
    case "message":
      return messageDrafts(row, line, state, key !== id);
    case "part":
      return partDrafts(asObject(row["data"]), { ...line, ts: partTime(row) ?? state.message?.ts ?? null }, state);
    case "session_message":
      return sessionMessageDrafts(row, line, state, key !== id);
  }
  return null;
}

/** The next message is a copy. */
function copyDrafts(copied: Copied, state: OpenCodeState): Draft[] {
  state.copied = copied;
  const { parent } = copied;
  const note = noteOf({ ts: null, key: null }, "copy", copied.id);
  return parent === null ? [note] : [{ kind: "session", lane: "", patch: { parent, relation: "fork" } }, note];
}

/** The name of a row; that of its original, where it is a copy. */
function nameOf(table: string, id: string, row: Json, state: OpenCodeState): string {
  if (table === "part" && state.message?.copied !== undefined) {
    const { copied } = state.message;
    const [original, parts] = originalPart(copied, asText(asObject(row["data"])["type"]) ?? "");
    state.message.copied = { ...copied, parts };
    return original ?? id;
  }
  const { copied } = state;
  if (copied === undefined || copied === null || !/message$/.test(table)) return originalIn(state, id);
  rememberCopy(state, id, copied.id);
  return copied.id;
}

/** Parts have the times of what they tell of. */
function partTime(row: Json): number | null {
  const data = asObject(row["data"]);
  const times = [asObject(data["time"]), asObject(asObject(data["state"])["time"])];
  return times.map((time) => asMs(time["start"])).find((ts) => ts !== null) ?? null;
}

/** The name that a session has until it is given a title. */
const UNTITLED = /^(?:New|Child) session - \d{4}-/;

function sessionDrafts(row: Json, line: RowLine, state: OpenCodeState): Draft[] {
  state.id ??= line.key;
  const title = asText(row["title"])?.trim() ?? "";
  const [own, version, parent] = ["directory", "version", "parent_id"].map((name) => asText(row[name]) ?? "");
  // Later rows have it as a part of a place.
  const cwd = own !== "" ? own : (asText(asObject(row["location"])["directory"]) ?? "");
  const patch: SessionPatch = {
    agentName: state.agentName,
    ...(cwd !== "" && { cwd: cwd! }),
    ...(version !== "" && { agentVersion: version! }),
    ...(line.ts !== null && { startedAt: line.ts }),
    ...(title !== "" && !UNTITLED.test(title) && { title: clip(title, 300), titleRank: 1 as const }),
    ...(parent !== "" && parent !== line.key && { parent: parent!, relation: "subagent" as const }),
  };
  return [{ kind: "session", lane: "", patch }, noteOf(line, "session", cwd)];
}

/** A session that was carried on names the one before: copies of its rows are known by their ids. */
function continuationDrafts(row: Json, state: OpenCodeState): Draft[] {
  state.isContinued = true;
  const parent = asText(row["of"]);
  const patch: SessionPatch = { ...(parent !== null && { parent, relation: "continuation" as const }) };
  return [{ kind: "session", lane: "", patch }, noteOf({ ts: null, key: null }, "continuation", parent ?? "")];
}

function messageDrafts(row: Json, line: RowLine, state: OpenCodeState, isCopy: boolean): Draft[] {
  const data = asObject(row["data"]);
  const role = asText(data["role"]) ?? "";
  const model = asText(data["modelID"]) ?? asText(asObject(data["model"])["modelID"]);
  const isSummary = role === "assistant" && data["summary"] === true;
  const error = asObject(data["error"]);
  const code = asText(error["name"]);
  const of = { id: line.key ?? "", role, ts: line.ts, model, isSummary, isCopy };
  const { copied } = state;
  state.copied = null;
  state.message = {
    ...{ ...of, step: 0, hasPrompt: false },
    ...(copied !== undefined && copied !== null && { copied }),
    ...(code !== null && { hasFailed: true }),
  };
  const drafts: Draft[] = [];
  if (role === "assistant" && model !== null && model !== state.model) {
    state.model = model;
    drafts.push({ kind: "session", lane: "", patch: { model } });
  }
  if (code !== null) {
    const text = asText(asObject(error["data"])["message"]) ?? code;
    drafts.push(draftOf(line, { type: "error", text, code: clip(code, 100) }));
  } else drafts.push(noteOf(line, `${role === "" ? "message" : role} message`, asText(data["agent"]) ?? ""));
  return drafts;
}
