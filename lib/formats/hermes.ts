// Sessions of Hermes, the agent of Nous Research: rows of its one database, with one more for each profile.
// docs/formats/hermes.md says what is read, and how.
import { NO_USAGE, promptTokens, type Draft, type Format, type SessionPatch, type Usage } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { firstRow, rowRecord, type TableRow } from "./database-rows.ts";
import { hermesDatabase } from "./hermes/hermes-database.ts";
import { messageDrafts, rewindDrafts, type HermesState } from "./hermes/hermes-messages.ts";
import { homeFolder } from "./home-folder.ts";
import { asArray, asCost, asCount, asObject, asText, asTime, clip, type Json } from "./json.ts";
import { eventOf, noteOf } from "./qwen/qwen-drafts.ts";
import { addOfModel } from "./reported-sums.ts";

export const hermes: Format<HermesState> = {
  id: "hermes",
  label: "Hermes",
  signs: "a database of sessions with source and started_at, and messages with tool_calls",
  version: 1,
  reader: "lines",
  database: hermesDatabase,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const inHome = (...parts: readonly string[]): string | undefined => home && [home, ...parts].join(separator);
    const local = env["LOCALAPPDATA"] || inHome("AppData", "Local");
    const usual = os === "win32" ? local && [local, "hermes"].join(separator) : inHome(".hermes");
    const root = env["HERMES_HOME"] || usual;
    return root
      ? [
          [root, "state.db"],
          [root, "profiles", "*", "state.db"],
        ].map((path) => path.join(separator))
      : [];
  },
  wants: (path) => /[\\/]state\.db$/.test(path),
  cleanup: "unknown",
  detect: ({ head }) => {
    const row = firstRow(head, "sessions");
    return row !== null && "source" in row && "started_at" in row;
  },
  start: ({ head }) => ({
    id: asText(firstRow(head, "sessions")?.["id"]),
    ...{ model: null, hasTitle: false, last: null, isUndone: false },
  }),
  parse: (record, state) => rowRecord(record, (row) => rowDrafts(row, state)),
  identify: ({ id }) => id,
};

function rowDrafts({ table, row }: TableRow, state: HermesState): Draft[] | null {
  switch (table) {
    case "sessions":
      return sessionDrafts(row, state);
    case "messages":
      return messageDrafts(row, state);
    case "totals":
      return totalsDrafts(row, state);
  }
  return null;
}

function sessionDrafts(row: Json, state: HermesState): Draft[] {
  state.id ??= asText(row["id"]);
  const startedAt = asTime(row["started_at"]);
  const model = asText(row["model"]) || null;
  state.model = asCount(row["models"]) > 1 ? null : model;
  const title = asText(row["title"])?.trim() ?? "";
  const cwd = asText(row["cwd"]) ?? "";
  const branch = asText(row["git_branch"]) ?? "";
  const patch: SessionPatch = {
    agentName: "Hermes",
    ...(cwd !== "" && { cwd }),
    ...(branch !== "" && { branch }),
    ...(startedAt !== null && { startedAt }),
    ...(model !== null && { model }),
    ...(title !== "" && { title: clip(title, 300), titleRank: row["title_source"] === "user" ? 2 : 1 }),
    ...aboveOf(row, state.id),
    quality: "Hermes counts the tokens of a session, and not those of each call.",
  };
  const entry = { ts: startedAt, key: null };
  const prompt = asText(row["system_prompt"]) ?? "";
  return [
    { kind: "session", lane: "", patch },
    noteOf(entry, "session", clip(asText(row["source"]) ?? "", 60)),
    ...(prompt === "" ? [] : [eventOf(entry, { type: "system", subtype: "prompt", text: prompt })]),
  ];
}

/** Ends after which the next session is a conversation of its own, though its row names the one before. */
const RESETS = /^(?:session_reset|session_switch|new_session|idle|daily|suspended|resume_pending_expired)$/;

/** A session that goes on after a compaction has the marks of the one before: a mark holds only where it names the same session. */
function aboveOf(row: Json, id: string | null): SessionPatch {
  const config = asObject(row["model_config"]);
  // The row above may be deleted; a delegate's mark is not.
  const parent = asText(row["parent_session_id"]) ?? asText(config["_delegate_from"]);
  if (parent === null || parent === "" || parent === id) return {};
  const end = asText(row["parent_end"]) ?? "";
  const isOf = (mark: string): boolean => asText(config[mark]) === parent;
  if (isOf("_delegate_from")) return { parent, relation: "subagent" };
  if (isOf("_branched_from")) return { parent, relation: "fork" };
  if (isOf("_reset_from") || RESETS.test(end)) return {};
  if (end === "compression") return { parent, relation: "continuation" };
  return { parent, relation: end === "branched" ? "fork" : "subagent" };
}

/** The session's own counts are those of its conversation; other tasks, such as a title or a summary, are rows beside them. */
function totalsDrafts(row: Json, state: HermesState): Draft[] {
  const sums = asArray(row["models"]).map(asObject);
  const [own, tasks] = [sums.filter(({ task }) => task === ""), sums.filter(({ task }) => task !== "")];
  const conversation = usageOf(row);
  // Rows of models that began later than the session lack a part of it.
  const isWhole = own.length > 0 && sizeOf(conversation) <= own.reduce((sum, one) => sum + sizeOf(usageOf(one)), 0);
  const counted = [...(isWhole ? own : [row]), ...tasks];
  const usage: Record<string, Usage> = {};
  for (const one of counted) if (sizeOf(usageOf(one)) > 0) addOfModel(usage, asText(one["model"]) ?? "", usageOf(one));
  const usd = counted.reduce((sum, one) => sum + costOf(one), 0);
  const note = noteOf({ ts: null, key: null }, "totals", clip(jsonText(row), 300));
  const rewind = rewindDrafts({ ts: null, key: state.last && `${state.last}/end` }, state);
  if (usd === 0 && Object.keys(usage).length === 0) return [...rewind, note];
  return [...rewind, { kind: "reported", lane: "", usd: usd > 0 ? usd : null, usage }, note];
}

const sizeOf = (usage: Usage): number => promptTokens(usage) + usage.output;

/** What a provider charged, else what Hermes worked out. */
const costOf = (row: Json): number => asCost(row["actual_cost_usd"]) || asCost(row["estimated_cost_usd"]) || 0;

/** The counts are disjoint; what was thought is part of the output. */
function usageOf(row: Json): Usage {
  const output = asCount(row["output_tokens"]);
  return {
    ...NO_USAGE,
    inputUncached: asCount(row["input_tokens"]),
    cacheRead: asCount(row["cache_read_tokens"]),
    cacheWrite: asCount(row["cache_write_tokens"]),
    output,
    reasoning: Math.min(asCount(row["reasoning_tokens"]), output),
  };
}
