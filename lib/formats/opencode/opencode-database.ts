// The tables of OpenCode's database. Columns that a release adds are left; one that is missing is named. Times of changes are no part
// of a record: they would make every row another one whenever the session goes on.
import { CONTINUES } from "#lib/kernel/continuation.ts";
import type { DatabaseQueries, DatabaseReader, RecordRows, Tables } from "#lib/kernel/draft.ts";
import { columnsOf, missingColumns } from "../database-rows.ts";
import { asObject } from "../json.ts";
import { CONTINUATION_ROWS } from "./opencode-copies.ts";

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  session: ["id", "directory", "title", "time_created", "time_updated"],
  message: ["id", "session_id", "time_created", "time_updated", "data"],
  part: ["id", "message_id", "session_id", "time_updated", "data"],
};
const SESSION = ["id", "parent_id", "directory", "title", "version", "agent", "revert", "time_created"];
/** Of the generation that keeps no parts: a message with all that it holds is one row. */
const NEXT = {
  session_v2: ["id", "time_created", "time_updated"],
  session_message: ["id", "session_id", "type", "seq", "time_created", "time_updated", "data"],
};
const SESSION_V2 = [...SESSION, "location"];

export const openCodeDatabase: DatabaseReader = {
  queries(tables) {
    const isOld = Object.keys(NEEDED).every((table) => tables.has(table));
    const isNew = tables.has("session_v2") && tables.has("session_message");
    if (!isOld && !isNew) return null;
    const missing = missingColumns(tables, { ...(isOld && NEEDED), ...(isNew && NEXT) });
    return missing ?? queriesOf(tables, { isOld, isNew });
  },
  isOpen(table, row) {
    const data = asObject(row["data"]);
    const isAnswer =
      table === "message" ? data["role"] === "assistant" : table === "session_message" && row["type"] === "assistant";
    const isCompacting = table === "session_message" && row["type"] === "compaction" && data["status"] === "running";
    return (
      isCompacting || (isAnswer && asObject(data["time"])["completed"] === undefined && data["error"] === undefined)
    );
  },
};

/** In the metadata of a session that Plimsoll wrote: `of` whose continuation it is, `as` its own id. A fork of the agent's own copies both. */
const CONTINUATION_OF = `SELECT id, json_extract(metadata, '$.${CONTINUES}.of') AS 'of' FROM session
  WHERE id = ? AND CASE WHEN json_valid(metadata) THEN json_extract(metadata, '$.${CONTINUES}.as') = id ELSE 0 END`;

type Generations = { readonly isOld: boolean; readonly isNew: boolean };

/** Where both generations are, the older tables are left as they were: a session or a message that both have is read once. */
function queriesOf(tables: Tables, { isOld, isNew }: Generations): DatabaseQueries {
  const hasNext = missingColumns(tables, { session_message: NEXT.session_message }) === null;
  const stamps = [...(isOld ? ["message", "part"] : []), ...(hasNext ? ["session_message"] : [])];
  const stamp = (table: string): string =>
    `(SELECT count(*) || '/' || coalesce(max(time_updated), 0) FROM ${table} WHERE session_id = s.id)`;
  const sessionsIn = (table: string, where = ""): string =>
    `SELECT s.id AS id, s.time_updated AS changed, s.time_updated || ' ' || ${stamps.map(stamp).join(" || ' ' || ")} AS stamp,
      s.time_created AS begun FROM ${table} s ${where}`;
  const onlyOld = isNew ? "AND id NOT IN (SELECT id FROM session_v2)" : "";
  const sessions = [
    ...(isNew ? [sessionsIn("session_v2")] : []),
    ...(isOld ? [sessionsIn("session", `WHERE true ${onlyOld}`)] : []),
  ];
  const records: RecordRows[] = [];
  if (isNew)
    records.push({
      table: "session_v2",
      sql: `SELECT ${columnsOf(tables, "session_v2", SESSION_V2)} FROM session_v2 WHERE id = ?`,
    });
  if (isOld) {
    records.push({
      table: "session",
      sql: `SELECT ${columnsOf(tables, "session", SESSION)} FROM session WHERE id = ? ${onlyOld}`,
    });
    if (tables.get("session")!.includes("metadata")) records.push({ table: CONTINUATION_ROWS, sql: CONTINUATION_OF });
    records.push({
      table: "message",
      sql: "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id",
      children: { table: "part", sql: "SELECT id, data FROM part WHERE message_id = ? ORDER BY id" },
    });
  }
  if (hasNext)
    records.push({
      table: "session_message",
      sql: `SELECT id, type, seq, time_created, data FROM session_message n WHERE session_id = ?
        ${isOld ? "AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = n.id)" : ""} ORDER BY seq`,
    });
  return { sessions: `SELECT id, changed, stamp FROM (${sessions.join(" UNION ALL ")}) ORDER BY begun, id`, records };
}
