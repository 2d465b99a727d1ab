// The tables of Hermes: sessions with their sums, messages, and in newer releases the sums of each model and of each task beside it.
import type { DatabaseReader, Tables } from "#lib/kernel/draft.ts";
import { columnOrNull, columnsOf, missingColumns } from "../database-rows.ts";

/** Any other may be missing or NULL. */
const NEEDED = {
  sessions: ["id", "source", "started_at"],
  messages: ["id", "session_id", "role", "content", "timestamp"],
};
const SESSION = ["source", "model", "parent_session_id", "started_at", "cwd", "git_branch"];
const TITLE = ["title", "title_source"];
const MESSAGE = [
  ...[
    "role",
    "timestamp",
    "tool_call_id",
    "tool_calls",
    "tool_name",
    "finish_reason",
    "reasoning",
    "reasoning_content",
  ],
  ...["codex_reasoning_items", "codex_message_items", "observed", "display_kind", "_compressed_summary"],
];
const COUNTS = [
  ...["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"],
  ...["estimated_cost_usd", "actual_cost_usd"],
];

export const hermesDatabase: DatabaseReader = {
  queries(tables) {
    const isHermes =
      ["source", "started_at"].every((column) => tables.get("sessions")?.includes(column) === true) &&
      tables.get("messages")?.includes("tool_calls") === true;
    return isHermes ? (missingColumns(tables, NEEDED) ?? queriesOf(tables)) : null;
  },
  isOpen: () => false,
};

function queriesOf(tables: Tables): ReturnType<DatabaseReader["queries"]> {
  const of = (column: string): string => columnOrNull(tables, "sessions", column, "s.");
  const isActive = columnOrNull(tables, "messages", "active", "m.");
  const sums = [...COUNTS, ...TITLE].map((name) => `coalesce(${of(name)}, '')`).join(" || ' ' || ");
  return {
    sessions: `SELECT s.id AS id, 1000 * coalesce((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at) AS changed,
        ${sums} || ' ' || (SELECT count(*) || '/' || coalesce(max(m.id), 0) || '/' || coalesce(sum(${isActive}), 0) || '/' ||
          coalesce(sum(length(CAST(m.content AS BLOB))), 0) FROM messages m WHERE m.session_id = s.id) || ' ' || ${countOfModels(tables)} AS stamp
      FROM sessions s ORDER BY s.started_at, s.id`,
    records: [
      {
        table: "sessions",
        sql: `SELECT s.id AS id, ${columnsOf(tables, "sessions", [...SESSION, ...TITLE], "s.")}, ${systemPrompt(tables)} AS system_prompt,
            ${parentEnd(tables)} AS parent_end, ${mainModels(tables)} AS models,
            ${of("model_config")} AS model_config FROM sessions s WHERE s.id = ?`,
      },
      {
        table: "messages",
        sql: `SELECT m.id AS id, ${columnsOf(tables, "messages", MESSAGE, "m.")},
            CASE WHEN typeof(m.content) = 'text' THEN json_object('text', m.content) ELSE m.content END AS content,
            ${isUndone(tables)} AS undone FROM messages m WHERE m.session_id = ? AND NOT ${isCopy(tables)} ORDER BY m.id`,
      },
      {
        table: "totals",
        sql: `SELECT s.id AS id, ${of("model")} AS model, ${COUNTS.map((name) => `${of(name)} AS ${name}`).join(", ")},
            ${modelSums(tables)} AS models FROM sessions s WHERE s.id = ?`,
      },
    ],
  };
}

const has = (tables: Tables, table: string, columns: readonly string[]): boolean =>
  columns.every((column) => tables.get(table)?.includes(column) === true);

/** Newer releases keep each prompt once. */
function systemPrompt(tables: Tables): string {
  const own = columnOrNull(tables, "sessions", "system_prompt", "s.");
  const isShared = has(tables, "system_prompts", ["hash", "prompt"]) && has(tables, "sessions", ["system_prompt_hash"]);
  return isShared
    ? `coalesce(${own}, (SELECT p.prompt FROM system_prompts p WHERE p.hash = s.system_prompt_hash))`
    : own;
}

/** Why the session above ended: it says what this one is to it. */
const parentEnd = (tables: Tables): string =>
  has(tables, "sessions", ["parent_session_id", "end_reason"])
    ? "(SELECT p.end_reason FROM sessions p WHERE p.id = s.parent_session_id)"
    : "NULL";

/** A compaction in place writes what it keeps once more, and marks the rows before it. */
const isCopy = (tables: Tables): string =>
  has(tables, "messages", ["compacted", "tool_call_id"])
    ? `EXISTS (SELECT 1 FROM messages o WHERE o.session_id = m.session_id AND o.timestamp = m.timestamp AND o.id < m.id AND o.compacted = 1
        AND o.role = m.role AND o.content IS m.content AND o.tool_call_id IS m.tool_call_id AND o.tool_calls IS m.tool_calls)`
    : "0";

const isUndone = (tables: Tables): string =>
  has(tables, "messages", ["active", "compacted"]) ? "(m.active = 0 AND m.compacted = 0)" : "0";

const hasModels = (tables: Tables): boolean => has(tables, "session_model_usage", ["session_id", "model", ...COUNTS]);
const taskOf = (tables: Tables): string =>
  has(tables, "session_model_usage", ["task"]) ? "coalesce(u.task, '')" : "''";

const countOfModels = (tables: Tables): string =>
  hasModels(tables)
    ? `(SELECT count(*) || '/' || coalesce(sum(u.input_tokens + u.output_tokens + u.cache_read_tokens), 0)
        FROM session_model_usage u WHERE u.session_id = s.id)`
    : "''";

/** How many models answered in the conversation itself. */
const mainModels = (tables: Tables): string =>
  hasModels(tables)
    ? `(SELECT count(DISTINCT u.model) FROM session_model_usage u WHERE u.session_id = s.id AND ${taskOf(tables)} = '')`
    : "0";

function modelSums(tables: Tables): string {
  if (!hasModels(tables)) return "NULL";
  const columns = ["model", ...COUNTS].map((name) => `'${name}', u.${name}`).join(", ");
  return `(SELECT json_group_array(json_object('task', ${taskOf(tables)}, ${columns})) FROM session_model_usage u WHERE u.session_id = s.id)`;
}
