// Threads of Zed's own agent: one row a thread, in which the whole conversation is one packed document. Its messages become records.
// docs/formats/zed.md says what is read, and how.
import {
  NO_USAGE,
  type DatabaseReader,
  type Draft,
  type Format,
  type SessionPatch,
  type Usage,
} from "#lib/kernel/draft.ts";
import { columnsOf, firstRow, missingColumns, rowRecord, type TableRow } from "./database-rows.ts";
import { asCount, asObject, asText, asTime, clip, type Json } from "./json.ts";
import { noteOf } from "./qwen/qwen-drafts.ts";
import { zedMessage, type ZedState } from "./zed/zed-messages.ts";
import { homeFolder } from "./home-folder.ts";

/** Null where it is damaged: on other text SQLite's functions of JSON give the whole database up. */
const DOCUMENT = "iif(json_valid(zstd_text(data)), zstd_text(data), NULL)";
const NEEDED = { threads: ["id", "summary", "updated_at", "data_type", "data"] };

const zedDatabase: DatabaseReader = {
  queries(tables) {
    if (tables.get("threads")?.includes("data_type") !== true) return null;
    const missing = missingColumns(tables, NEEDED);
    if (missing !== null) return missing;
    const of = (path: string): string => `json_extract(${DOCUMENT}, '$.${path}')`;
    return {
      sessions: `SELECT id, CAST(strftime('%s', updated_at) AS INTEGER) * 1000 AS changed, updated_at || '/' || length(data) AS stamp
        FROM threads ORDER BY updated_at, id`,
      records: [
        {
          table: "threads",
          sql: `SELECT id, summary, ${columnsOf(tables, "threads", ["parent_id", "folder_paths", "created_at"])}${
            tables.get("threads")!.some((name) => ["parent_id", "folder_paths", "created_at"].includes(name)) ? "," : ""
          } ${of("version")} AS version, ${of("model")} AS model FROM threads WHERE id = ?`,
        },
        {
          table: "message",
          sql: `SELECT threads.id || '/' || json_each.key AS id, json_each.value AS message
            FROM threads, json_each(${DOCUMENT}, '$.messages') WHERE threads.id = ? ORDER BY json_each.key`,
        },
        {
          table: "totals",
          sql: `SELECT id, updated_at, ${of("cumulative_token_usage")} AS usage, ${of("request_token_usage")} AS requests,
            ${of("model")} AS model FROM threads WHERE id = ?`,
        },
      ],
    };
  },
  isOpen: () => false,
};

export const zed: Format<ZedState> = {
  id: "zed",
  label: "Zed",
  signs: "a database with the table threads",
  // 2: counts that stand as texts of digits.
  // 3: a record without content begins no turn.
  // 4: compactions, and inputs of calls that say of what kind they are.
  version: 4,
  reader: "lines",
  database: zedDatabase,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const data =
      os === "win32"
        ? env["LOCALAPPDATA"] && [env["LOCALAPPDATA"], "Zed"].join(separator)
        : os === "darwin"
          ? home && [home, "Library", "Application Support", "Zed"].join(separator)
          : (env["XDG_DATA_HOME"] || (home && [home, ".local", "share"].join(separator))) &&
            [env["XDG_DATA_HOME"] || [home, ".local", "share"].join(separator), "zed"].join(separator);
    return data ? [[data, "threads", "threads.db"].join(separator)] : [];
  },
  wants: (path) => /[\\/]threads[\\/]threads\.db$/.test(path),
  detect: ({ head }) => firstRow(head, "threads") !== null,
  start: ({ head }) => ({
    id: asText(firstRow(head, "threads")?.["id"]),
    ...{ model: null, hasTitle: false, turn: null, ends: {}, users: [] },
  }),
  parse: (record, state) => rowRecord(record, (row) => rowDrafts(row, state)),
  identify: (state) => state.id,
};

function rowDrafts({ table, row }: TableRow, state: ZedState): Draft[] | null {
  switch (table) {
    case "threads":
      return threadDrafts(row, state);
    case "message":
      return zedMessage(row["message"], asText(row["id"]) ?? "", state);
    case "totals":
      return totalDrafts(row, state);
  }
  return null;
}

function threadDrafts(row: Json, state: ZedState): Draft[] {
  state.id ??= asText(row["id"]);
  const title = asText(row["summary"])?.trim() ?? "";
  const startedAt = asTime(row["created_at"]);
  const folders = (asText(row["folder_paths"]) ?? "").split("\n").filter((path) => path !== "");
  const parent = asText(row["parent_id"]);
  state.model = asText(asObject(row["model"])["model"]);
  const patch: SessionPatch = {
    agentName: "Zed",
    ...(title !== "" && { title: clip(title, 300), titleRank: 1 as const }),
    ...(folders.length > 0 && { cwd: folders[0]! }),
    ...(startedAt !== null && { startedAt }),
    ...(state.model !== null && { model: state.model }),
    ...(parent !== null && parent !== state.id && { parent, relation: "subagent" as const }),
    quality: "Partial: tokens of the last request of each turn, and their sum. No times of messages.",
  };
  return [{ kind: "session", lane: "", patch }, noteOf({ ts: startedAt, key: null }, "thread", folders.join(" "))];
}

const usageOf = (told: Json): Usage => ({
  ...NO_USAGE,
  inputUncached: asCount(told["input_tokens"]),
  cacheRead: asCount(told["cache_read_input_tokens"]),
  cacheWrite: asCount(told["cache_creation_input_tokens"]),
  output: asCount(told["output_tokens"]),
});

/** The last request of each turn belongs to its last answer. */
function totalDrafts(row: Json, state: ZedState): Draft[] {
  const ts = asTime(row["updated_at"]);
  const drafts: Draft[] = [noteOf({ ts, key: null }, "totals")];
  const requests = asObject(row["requests"]);
  for (const [turn, key] of Object.entries(state.ends)) {
    const told = requests[turn];
    if (told === undefined) continue;
    const usage = usageOf(asObject(told));
    drafts.push({ kind: "call", lane: "", key, ts, model: state.model, usage, outputLowerBound: false });
  }
  const sum = asObject(row["usage"]);
  if (asCount(sum["input_tokens"]) + asCount(sum["output_tokens"]) > 0)
    drafts.push({ kind: "reported", lane: "", usd: null, usage: { [state.model ?? ""]: usageOf(sum) } });
  return drafts;
}
