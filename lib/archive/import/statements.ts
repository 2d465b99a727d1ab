// The prepared statements of the import path, made once for a connection.
import type { Sqlite } from "#db/connection.ts";
import { columns, command, query, scalar } from "#db/statement.ts";
import { INTERACTION_COLUMNS } from "#db/migration-12-row-checksums.ts";
import { SET_CALL } from "./event-checksum.ts";

export type Statements = ReturnType<typeof prepare>;

const prepared = new WeakMap<Sqlite, Statements>();

/** Looked up once for a session file, and called for each of its events. */
export function statementsOf(sqlite: Sqlite): Statements {
  let found = prepared.get(sqlite);
  if (found === undefined) prepared.set(sqlite, (found = prepare(sqlite)));
  return found;
}

/** SQL that names the sub-agent of an interaction, and keeps its checksum right. */
export const AGENT_SET = `(agent_id, checksum) = (SELECT id, row_hash(${INTERACTION_COLUMNS.replace("agent_id", "id")}) FROM (SELECT ? AS id))`;

function prepare(sqlite: Sqlite) {
  const sql = (text: string) => command(sqlite, text);
  return {
    insertEvent: sql(
      `INSERT INTO events (id, type, ts, turn, call, tool_call_id, tool_name, record_key, keyed, bytes, digest, artifact,
         category, label, extra_tokens, starts_turn, synthetic, byte_start, byte_end, body, checksum)
       VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,CAST(? AS TEXT),?)`,
    ),
    insertSearch: sql("INSERT INTO search (rowid, text) VALUES (?, CAST(? AS TEXT))"),
    setEventCall: sql(`UPDATE events SET ${SET_CALL} WHERE id = ?`),
    findCall: query(sqlite, { "*": "model_calls.*" }, "FROM model_calls WHERE key = ? AND session_pk = ?"),
    insertCall: sql(
      `INSERT INTO model_calls (session_pk, call, key, first_seq, model, ts, input_uncached, cache_read, cache_write,
         cache_write_1h, output, reasoning, web_searches, output_lower_bound, has_usage, window)
       VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
    ),
    updateCall: sql(
      `UPDATE model_calls SET input_uncached = ?, cache_read = ?, cache_write = ?, cache_write_1h = ?, output = ?,
         reasoning = ?, web_searches = ?, output_lower_bound = ?, has_usage = ?, priced = 0, checksum = NULL WHERE session_pk = ? AND call = ?`,
    ),
    findInteraction: query(
      sqlite,
      { "*": "tool_interactions.*" },
      "FROM tool_interactions WHERE session_pk = ? AND tool_call_id = ? ORDER BY pk DESC LIMIT ?",
    ),
    insertInteraction: sql(
      `INSERT INTO tool_interactions (session_pk, tool_call_id, tool_name, call_seq, result_seq, status, hosted, input_digest,
         started_at, ended_at, duration_ms, agent_id, checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)`,
    ),
    updateInteraction: sql(
      `UPDATE tool_interactions SET tool_name = ?, call_seq = ?, result_seq = ?, status = ?, hosted = ?, input_digest = ?,
         started_at = ?, ended_at = ?, duration_ms = ?, agent_id = ?, checksum = ? WHERE pk = ?`,
    ),
    linkAgent: sql(
      `UPDATE tool_interactions SET ${AGENT_SET} WHERE session_pk = ? AND tool_call_id = ? AND agent_id IS NULL`,
    ),
    // Bytes that were removed and are stored again are there again.
    insertBlob: sql(
      `INSERT INTO blobs (digest, size, line_count, created_at) VALUES (?,?,?,?)
       ON CONFLICT (digest) DO UPDATE SET removed_at = NULL WHERE removed_at IS NOT NULL`,
    ),
    findPointer: scalar(sqlite, "artifacts.pk", "FROM artifacts WHERE pointer = ?"),
    toolOfCall: query(
      sqlite,
      { tool_name: "tool_interactions.tool_name", ...columns("events", "label", "body") },

      `SELECT t.tool_name, e.label, e.body FROM tool_interactions t JOIN events e ON e.id = t.session_pk * 4294967296 + t.call_seq
       WHERE t.session_pk = ? AND t.tool_call_id = ? AND t.call_seq IS NOT NULL ORDER BY t.pk DESC LIMIT 1`,
    ),
    lastCompaction: query(
      sqlite,
      columns("events", "id", "body"),
      "FROM events WHERE id BETWEEN ? AND ? AND type = 'compaction' ORDER BY id DESC LIMIT 1",
    ),
    setBody: sql("UPDATE events SET body = ?, checksum = ? WHERE id = ?"),
  };
}
