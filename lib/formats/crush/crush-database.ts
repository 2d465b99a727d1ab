// The tables of Crush: sessions, and messages whose parts are one column, packed in newer releases.
import type { DatabaseReader, Tables } from "#lib/kernel/draft.ts";
import { columnOrNull, columnsOf, missingColumns } from "../database-rows.ts";
import { asArray, asObject } from "../json.ts";

/** Any other may be missing or NULL. */
const NEEDED = { sessions: ["id"], messages: ["id", "session_id", "role", "parts"] };
/** Columns that no other agent's sessions have. */
const OWN = ["completion_tokens", "prompt_tokens", "cost", "parent_session_id"];
const TOTALS = ["cost", "prompt_tokens", "completion_tokens"];
const MESSAGE = ["role", "model", "provider", "created_at", "finished_at", "is_summary_message"];

export const crushDatabase: DatabaseReader = {
  queries(tables: Tables) {
    const columns = tables.get("sessions") ?? [];
    const isCrush =
      tables.get("messages")?.includes("parts") === true &&
      OWN.some((column) => columns.includes(column)) &&
      !columns.includes("working_dir");
    if (!isCrush) return null;
    const missing = missingColumns(tables, NEEDED);
    if (missing !== null) return missing;
    const of = (column: string): string => columnOrNull(tables, "sessions", column, "s.");
    const [title, begun] = [of("title"), of("created_at")];
    const about = [
      ...["id", "parent_session_id"].filter((column) => columns.includes(column)),
      ...[`${title} AS title`, `${begun} AS created_at`],
      ...["workspace_cwd"].filter((column) => columns.includes(column)),
    ];
    const changed = columnOrNull(tables, "messages", "updated_at", "m.");
    return {
      sessions: `SELECT s.id AS id, ${of("updated_at")} AS changed, coalesce(${title}, '') || ' ' || coalesce(${of("cost")}, '') || ' ' ||
          (SELECT count(*) || '/' || coalesce(max(${changed}), 0) || '/' || coalesce(sum(length(m.parts)), 0)
            FROM messages m WHERE m.session_id = s.id) AS stamp
        FROM sessions s
        WHERE NOT (s.id LIKE 'title-%' AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id))
        ORDER BY ${begun}, s.id`,
      records: [
        {
          table: "sessions",
          sql: `SELECT ${about.join(", ")} FROM sessions s WHERE s.id = ?`,
        },
        {
          table: "messages",
          sql: `SELECT id, ${columnsOf(tables, "messages", MESSAGE)}, zstd_text(parts) AS parts
            FROM messages m WHERE session_id = ? ORDER BY ${columnOrNull(tables, "messages", "created_at")}, rowid`,
        },
        {
          table: "totals",
          sql: `SELECT s.id, ${TOTALS.map((name) => `${of(name)} AS ${name}`).join(", ")} FROM sessions s WHERE s.id = ?`,
        },
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
