// The tables of Goose: sessions, messages, and a ledger with the usage of each request. Nothing in the ledger names a message: a request
// belongs to the last answer that was there when it was written down.
import type { DatabaseQueries, DatabaseReader, Tables } from "#lib/kernel/draft.ts";
import { columnsOf, missingColumns } from "../database-rows.ts";

const NEEDED = {
  sessions: ["id", "working_dir", "created_at", "updated_at"],
  messages: ["id", "session_id", "role", "content_json", "created_timestamp"],
};
const SESSION = [
  ...["name", "description", "user_set_name", "session_type", "working_dir", "parent_session_id", "provider_name"],
  "model_config_json",
];
/** Sums that change with each request: where the ledger has requests of the session they are left. Sessions from before it have none there. */
const TOTALS = [
  ...["accumulated_input_tokens", "accumulated_output_tokens", "accumulated_total_tokens"],
  ...["accumulated_cache_read_tokens", "accumulated_cache_write_tokens", "accumulated_cost"],
];
const MESSAGE = ["message_id", "role", "created_timestamp", "content_json", "metadata_json"];
const LEDGER = [
  ...["created_timestamp", "model", "input_tokens", "output_tokens", "total_tokens"],
  ...["cache_read_tokens", "cache_write_tokens", "cost", "cost_source", "is_compaction"],
];

export const gooseDatabase: DatabaseReader = {
  queries(tables) {
    const isGoose = tables.get("messages")?.includes("content_json") && tables.get("sessions")?.includes("working_dir");
    return isGoose === true ? (missingColumns(tables, NEEDED) ?? queriesOf(tables)) : null;
  },
  isOpen: () => false,
};

function queriesOf(tables: Tables): DatabaseQueries {
  const hasLedger = ["id", "session_id", "created_timestamp", "input_tokens"].every(
    (column) => tables.get("usage_ledger")?.includes(column) === true,
  );
  const ledger = hasLedger ? "(SELECT count(*) FROM usage_ledger u WHERE u.session_id = s.id)" : "0";
  const hasSums = hasLedger ? "NOT EXISTS (SELECT 1 FROM usage_ledger u WHERE u.session_id = sessions.id)" : "1";
  const totals = TOTALS.map((name) => {
    const value = tables.get("sessions")!.includes(name) ? `CASE WHEN ${hasSums} THEN ${name} END` : "NULL";
    return `${value} AS ${name}`;
  }).join(", ");
  return {
    sessions: `SELECT s.id AS id, CAST(strftime('%s', s.updated_at) AS INTEGER) * 1000 AS changed,
        s.updated_at || ' ' || (SELECT count(*) || '/' || coalesce(max(id), 0) || '/' || coalesce(sum(length(content_json)), 0)
          FROM messages m WHERE m.session_id = s.id) || ' ' || ${ledger} AS stamp
      FROM sessions s ORDER BY s.created_at, s.id`,
    records: [
      {
        table: "sessions",
        sql: `SELECT id, CAST(strftime('%s', created_at) AS INTEGER) AS created, ${columnsOf(tables, "sessions", SESSION)}, ${totals}
          FROM sessions WHERE id = ?`,
      },
      {
        table: "messages",
        sql: `SELECT CAST(id AS TEXT) AS id, ${columnsOf(tables, "messages", MESSAGE)}
          FROM messages WHERE session_id = ? ORDER BY created_timestamp, messages.id`,
        ...(hasLedger && { children: { table: "usage_ledger", sql: ledgerSql(tables) } }),
      },
    ],
  };
}

const ledgerSql = (
  tables: Tables,
): string => `SELECT CAST(u.id AS TEXT) AS id, ${columnsOf(tables, "usage_ledger", LEDGER, "u.")}
  FROM messages m JOIN usage_ledger u ON u.session_id = m.session_id
  WHERE m.id = CAST(? AS INTEGER) AND m.id = coalesce(
    (SELECT a.id FROM messages a WHERE a.session_id = u.session_id AND a.role = 'assistant' AND a.created_timestamp <= u.created_timestamp
      ORDER BY a.created_timestamp DESC, a.id DESC LIMIT 1),
    (SELECT min(a.id) FROM messages a WHERE a.session_id = u.session_id))
  ORDER BY u.created_timestamp, u.id`;
