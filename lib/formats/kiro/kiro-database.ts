// The database of Kiro's first engine and of Amazon Q before it: a row a conversation, in which the whole of it is one document. Its turns
// become records. Tables with keys of services stand beside it, and are not asked for.
import type { DatabaseQueries, DatabaseReader, Tables } from "#lib/kernel/draft.ts";
import { missingColumns } from "../database-rows.ts";

/** The record that a conversation begins with. */
export const TURNS_OF = "kiro_conversation";

const NEEDED = ["key", "conversation_id", "value", "created_at", "updated_at"];
/** On other text SQLite's functions of JSON give the whole database up. */
const DOCUMENT = "iif(json_valid(c.value), c.value, NULL)";
const of = (path: string): string => `json_extract(${DOCUMENT}, '$.${path}')`;

export const kiroDatabase: DatabaseReader = {
  queries(tables) {
    if (tables.has("conversations_v2")) return missingColumns(tables, { conversations_v2: NEEDED }) ?? current();
    return isEarly(tables) ? early() : null;
  },
  isOpen: () => false,
};

/** Amazon Q kept one conversation for each folder. */
const isEarly = (tables: Tables): boolean =>
  tables.has("auth_kv") && ["key", "value"].every((column) => tables.get("conversations")?.includes(column) === true);

/** One conversation may stand under several folders: the newest row holds. */
const current = (): DatabaseQueries => ({
  sessions: `SELECT conversation_id AS id, max(updated_at) AS changed,
      max(updated_at) || '/' || count(*) || '/' || max(length(value)) AS stamp
    FROM conversations_v2 GROUP BY conversation_id ORDER BY min(created_at), conversation_id`,
  records: recordsOf(
    `(SELECT * FROM conversations_v2 WHERE conversation_id = ? ORDER BY updated_at DESC, created_at DESC, key DESC LIMIT 1)`,
    "c.conversation_id",
    "c.created_at",
  ),
});

const early = (): DatabaseQueries => ({
  sessions: `SELECT ${of("conversation_id")} AS id, NULL AS changed, length(c.value) AS stamp
    FROM conversations c WHERE ${of("conversation_id")} IS NOT NULL ORDER BY c.key`,
  records: recordsOf(
    `(SELECT * FROM conversations c WHERE ${of("conversation_id")} = ? LIMIT 1)`,
    of("conversation_id"),
    "NULL",
  ),
});

function recordsOf(row: string, id: string, createdAt: string): DatabaseQueries["records"] {
  const turn = (kind: string): string => `json_extract(t.value, '$.assistant.${kind}.message_id')`;
  return [
    {
      table: TURNS_OF,
      sql: `SELECT ${id} AS id, c.key AS cwd, ${createdAt} AS created, ${of("model_info.model_id")} AS model, ${of("model")} AS named,
          ${of("model_info.context_window_tokens")} AS context_window, ${of("latest_summary")} AS summary,
          ${of("user_turn_metadata.usage_info")} AS meters
        FROM ${row} c`,
    },
    {
      table: "turn",
      sql: `SELECT coalesce(iif(t.type = 'object', coalesce(${turn("Response")}, ${turn("ToolUse")}), NULL), ${id} || '/' || t.key) AS id,
          t.value AS turn
        FROM ${row} c, json_each(${DOCUMENT}, '$.history') t ORDER BY t.key`,
    },
  ];
}
