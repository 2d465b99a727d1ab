// Rows of Cursor's editor as drafts: a conversation, then each piece of it. A piece is a prompt, a thought, a text or a call with its result.
import { NO_USAGE, type Draft, type SessionPatch, type Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { TableRow } from "../database-rows.ts";
import { asCost, asCount, asObject, asText, asTime, clip, type Json } from "../json.ts";
import { parseJson } from "../json-parts.ts";
import { patchOf, printOf } from "../placed-drafts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import type { CursorState } from "./cursor-messages.ts";

export function cursorRowDrafts({ table, row }: TableRow, state: CursorState): Draft[] | null {
  switch (table) {
    case "composer":
      return composerDrafts(row, state);
    case "bubble":
      return [
        ...bubbleDrafts(asText(row["id"]), asObject(row["data"]), state),
        ...summaryDrafts(asText(row["id"]), asObject(row["data"]), state),
      ];
    case "usage":
      return usageDrafts(asObject(row["models"]));
  }
  return null;
}

function composerDrafts(row: Json, state: CursorState): Draft[] {
  const title = asText(row["name"])?.trim() ?? "";
  const [model, branch, folder] = [modelOf(row["model"]), asText(row["branch"]) ?? "", asText(row["folder"]) ?? ""];
  const startedAt = asTime(row["createdAt"]);
  const parent = asText(row["parent"]);
  state.hasTitle ||= title !== "";
  state.model = model;
  const patch: SessionPatch = {
    agentName: "Cursor",
    quality: "Cursor keeps the tokens of few calls, and nothing of the cache.",
    ...(title !== "" && { title: clip(title, 300), titleRank: 1 as const }),
    ...(model !== null && { model }),
    ...(branch !== "" && { branch }),
    ...(folder !== "" && { cwd: folder }),
    ...(startedAt !== null && { startedAt }),
    ...(parent !== null && parent !== state.id && { parent, relation: "subagent" as const }),
  };
  return [patchOf("", patch), noteOf({ ts: startedAt, key: null }, "session", title)];
}

export const modelOf = (value: unknown): string | null => {
  const name = asText(value) ?? "";
  return name === "" || name === "default" ? null : name;
};

function bubbleDrafts(id: string | null, data: Json, state: CursorState): Draft[] {
  const entry: Entry = { ts: asTime(data["createdAt"]) ?? begunAt(data["began"]), key: id };
  const about = aboutPiece(data, state);
  const text = asText(data["text"]) ?? "";
  const tool = asObject(data["toolFormerData"]);
  if (data["type"] === 1) {
    state.callKey = null;
    const title = state.hasTitle ? "" : text.trim();
    state.hasTitle ||= title !== "";
    return [
      ...about,
      ...(title === "" ? [] : [patchOf("", { title: clip(title, 300), titleRank: 0 })]),
      eventOf(entry, { type: "user", text }, { startsTurn: true }),
      // A tool of an early release may stand in the piece of the prompt.
      ...(hasTool(tool) ? toolDrafts(id, tool, entry, null) : []),
    ];
  }
  if (data["type"] === 2) return [...about, ...answerDrafts(id, text, data, entry, state)];
  const reason = "damaged" in data ? "A message that is not JSON." : "A message of a type that is not known.";
  return [eventOf(entry, { type: "unknown", reason, text: clip(jsonText(data["damaged"] ?? data), 1000) })];
}

/** What takes the place of the pieces before the one that is sent first now. The list names the latest summary, some pieces their own. */
function summaryDrafts(id: string | null, data: Json, state: CursorState): Draft[] {
  const told = jsonOf(data["summary"]);
  const about = asObject(told);
  const text = asText(about["summary"]) ?? asText(told) ?? "";
  const print = printOf(text);
  if (text === "" || print === state.summary) return [];
  state.summary = print;
  const entry: Entry = { ts: asTime(data["createdAt"]) ?? begunAt(data["began"]), key: id };
  const keptFrom = asText(about["clientShouldStartSendingFromInclusiveBubbleId"]) ?? "";
  return [
    eventOf(entry, {
      ...{ type: "compaction", kind: "full", trigger: null, tokensBefore: null, tokensAfter: null, text },
      ...(keptFrom !== "" && { keptFrom }),
    }),
    eventOf(entry, { type: "user", text, injected: "summary" }),
  ];
}

function aboutPiece(data: Json, state: CursorState): Draft[] {
  const folder = folderOf(data["folder"]);
  const model = modelOf(asObject(data["modelInfo"])["modelName"]);
  const patch: SessionPatch = {
    ...(folder !== null && folder !== state.folder && { cwd: folder }),
    ...(model !== null && model !== state.model && { model }),
  };
  state.folder = folder ?? state.folder ?? null;
  state.model = model ?? state.model ?? null;
  return Object.keys(patch).length === 0 ? [] : [patchOf("", patch)];
}

/** The path of a folder's address; null for one that is no file's. */
export function folderOf(address: unknown): string | null {
  const path = /^file:\/\/(\/.+)$/.exec(asText(address) ?? "")?.[1];
  if (path === undefined) return null;
  try {
    const plain = decodeURIComponent(path);
    return /^\/[a-z]:\//i.test(plain) ? plain.slice(1) : plain;
  } catch {
    return path;
  }
}

/** An answer goes on until it calls a tool, has its tokens, or the person writes again. */
function answerDrafts(id: string | null, text: string, data: Json, entry: Entry, state: CursorState): Draft[] {
  const callKey = (state.callKey ??= id ?? "");
  const usage = usageOf(data["tokenCount"]);
  const tool = asObject(data["toolFormerData"]);
  const thought = asText(asObject(data["thinking"])["text"]) ?? "";
  const failure = asText(asObject(data["errorDetails"])["message"]);
  const isCall = hasTool(tool);
  const drafts: Draft[] = [
    ...(thought === "" ? [] : [eventOf(entry, { type: "reasoning", text: thought }, { callKey })]),
    ...(text === "" ? [] : [eventOf(entry, { type: "assistant", text }, { callKey })]),
    ...(isCall ? toolDrafts(id, tool, entry, callKey) : []),
    ...(failure === null ? [] : [eventOf(entry, { type: "error" as const, text: failure, code: "error" })]),
  ];
  if (drafts.length === 0) drafts.push(noteOf(entry, "empty answer", "", callKey));
  drafts.push({
    ...{ kind: "call", lane: "", key: callKey, ts: entry.ts, model: state.model ?? null },
    ...{ usage, outputLowerBound: false },
  });
  if (isCall || usage !== null) state.callKey = null;
  return drafts;
}

/** Mostly both are 0, which says nothing. */
function usageOf(told: unknown): Usage | null {
  const { inputTokens, outputTokens } = asObject(told);
  const [input, output] = [asCount(inputTokens), asCount(outputTokens)];
  return input + output === 0 ? null : { ...NO_USAGE, inputUncached: input, output };
}

/** Numbers of tools that pieces of early releases have without a name. */
const TOOLS: Readonly<Record<number, string>> = {
  ...{ 5: "read_file", 6: "list_dir", 7: "edit_file", 9: "codebase_search" },
  ...{ 15: "run_terminal_cmd", 18: "web_search" },
};

const hasTool = (tool: Json): boolean => (asText(tool["name"]) ?? "") !== "" || typeof tool["tool"] === "number";

/** Milliseconds since 1970: some releases count from their own start. */
const begunAt = (value: unknown): number | null => (typeof value === "number" && value > 1e12 ? value : null);

function toolDrafts(id: string | null, tool: Json, entry: Entry, callKey: string | null): Draft[] {
  // A piece is one call: its own name tells calls apart that were given the same.
  const toolCallId = `${asText(tool["toolCallId"])?.split("\n")[0] ?? "call"}@${id ?? ""}`;
  const number = tool["tool"];
  const toolName = asText(tool["name"]) || TOOLS[Number(number)] || `tool ${String(number)}`;
  const call: EventBody = {
    type: "tool_call",
    toolCallId,
    toolName,
    input: jsonOf(tool["rawArgs"]) ?? jsonOf(tool["params"]) ?? {},
  };
  const status = asText(tool["status"]) ?? "";
  const { result } = tool;
  const drafts = [eventOf(entry, call, { callKey })];
  if (result == null && !/^(?:completed|success|error|cancelled|rejected)$/.test(status)) return drafts;
  const text = typeof result === "string" ? result : result == null ? status : jsonText(result);
  const isError = /^(?:error|cancelled|rejected)$/.test(status);
  return [...drafts, eventOf(entry, { type: "tool_result", toolCallId, text, isError, saw: "full" })];
}

/** Arguments are JSON in a text. */
const jsonOf = (value: unknown): unknown =>
  typeof value !== "string" ? (value ?? undefined) : value === "" ? undefined : (parseJson(value) ?? value);

/** Of early releases: cents by model. */
function usageDrafts(models: Json): Draft[] {
  const cents = Object.values(models).map((one) => asCost(asObject(one)["costInCents"]) ?? 0);
  const usd = cents.reduce((sum, one) => sum + one, 0) / 100;
  return [
    ...(usd > 0 ? [{ kind: "reported" as const, lane: "", usd, usage: {} }] : []),
    noteOf({ ts: null, key: null }, "usage", clip(jsonText(models), 300)),
  ];
}
