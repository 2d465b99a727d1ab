// The tables of Crush: sessions, and messages whose parts are one column, packed in newer releases.
import type { DatabaseReader, Tables } from "#lib/kernel/draft.ts";
import { columnsOf, missingColumns } from "../database-rows.ts";
import { asArray, asObject } from "../json.ts";

const NEEDED = {
  sessions: ["id", "title", "cost", "created_at", "updated_at"],
  messages: ["id", "session_id", "role", "parts", "created_at", "updated_at"],
};
const SESSION = ["parent_session_id", "title", "created_at", "workspace_cwd"];
const MESSAGE = ["role", "model", "provider", "created_at", "finished_at", "is_summary_message"];

export const crushDatabase: DatabaseReader = {
  queries(tables: Tables) {
    const isCrush = tables.get("messages")?.includes("parts") && tables.get("sessions")?.includes("completion_tokens");
    if (isCrush !== true) return null;
    const missing = missingColumns(tables, NEEDED);
    if (missing !== null) return missing;
    return {
      sessions: `SELECT s.id AS id, s.updated_at AS changed, s.title || ' ' || s.cost || ' ' ||
          (SELECT count(*) || '/' || coalesce(max(m.updated_at), 0) || '/' || coalesce(sum(length(m.parts)), 0)
            FROM messages m WHERE m.session_id = s.id) AS stamp
        FROM sessions s ORDER BY s.created_at, s.id`,
      records: [
        { table: "sessions", sql: `SELECT id, ${columnsOf(tables, "sessions", SESSION)} FROM sessions WHERE id = ?` },
        {
          table: "messages",
          sql: `SELECT id, ${columnsOf(tables, "messages", MESSAGE)}, zstd_text(parts) AS parts
            FROM messages WHERE session_id = ? ORDER BY created_at, rowid`,
        },
        { table: "totals", sql: "SELECT id, cost, prompt_tokens, completion_tokens FROM sessions WHERE id = ?" },
      ],
    };
  },
  /** An answer without its end is still written. */
  isOpen: (table, row) =>
    table === "messages" &&
    row["role"] === "assistant" &&
    row["finished_at"] == null &&
    !asArray(row["parts"]).some((part) => asObject(part)["type"] === "finish"),
};
