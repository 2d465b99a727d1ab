// The tables of OpenCode's database. Columns that a release adds are left; one that is missing is named. Times of changes are no part
// of a record: they would make every row another one whenever the session goes on.
import { CONTINUES } from "#lib/kernel/continuation.ts";
import type { DatabaseQueries, DatabaseReader, RecordRows, Tables } from "#lib/kernel/draft.ts";
import { columnOrNull, columnsOf, jsonColumn, missingColumns } from "../database-rows.ts";
import { asObject } from "../json.ts";
import { CONTINUATION_ROWS } from "./opencode-copies.ts";
import { COPY_OF_MESSAGE, COPY_OF_ROW, messageCopies, sessionMessageCopies } from "./opencode-forks.ts";

/** Any other may be missing or NULL: a session without a title, a folder or times is read with what is there. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  session: ["id"],
  message: ["id", "session_id", "data"],
  part: ["id", "message_id", "data"],
};
const SESSION = ["id", "parent_id", "directory", "title", "version", "agent", "revert", "time_created"];
/** Of the generation that keeps no parts: a message with all that it holds is one row. */
const NEXT = {
  session_v2: ["id"],
  session_message: ["id", "session_id", "data"],
};

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
    const type = row["type"] ?? data["type"];
    const isAnswer =
      table === "message" ? data["role"] === "assistant" : table === "session_message" && type === "assistant";
    const isCompacting = table === "session_message" && type === "compaction" && data["status"] === "running";
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
  const onlyOld = isNew ? "AND id NOT IN (SELECT id FROM session_v2)" : "";
  const records: RecordRows[] = [];
  if (isNew) {
    const location = tables.get("session_v2")!.includes("location") ? `, ${jsonColumn("location")} AS location` : "";
    records.push({
      table: "session_v2",
      sql: `SELECT ${columnsOf(tables, "session_v2", SESSION)}${location} FROM session_v2 WHERE id = ?`,
    });
  }
  if (isOld) {
    records.push({
      table: "session",
      sql: `SELECT ${columnsOf(tables, "session", SESSION)} FROM session WHERE id = ? ${onlyOld}`,
    });
    if (tables.get("session")!.includes("metadata")) records.push({ table: CONTINUATION_ROWS, sql: CONTINUATION_OF });
    records.push({
      table: "message",
      sql: messagesOf(tables),
      children: {
        table: "part",
        sql: `SELECT id, ${jsonColumn("data")} AS data FROM part WHERE message_id = ? ORDER BY id`,
      },
    });
  }
  if (hasNext)
    records.push({
      table: "session_message",
      sql: sessionMessagesOf(tables, isOld),
    });
  return { sessions: sessionsOf(tables, { isOld, isNew }, hasNext, onlyOld), records };
}

/** The messages of a session in order; before one that a fork copied, which it is. */
function messagesOf(tables: Tables): string {
  const [data, at] = [jsonColumn("data"), timeIn(tables, "message", "m")];
  const copies = messageCopies(tables);
  if (copies === null)
    return `SELECT ${columnsOf(tables, "message", ["id", "time_created"])}, ${data} AS data FROM message m
      WHERE session_id = ? ORDER BY ${at}, id`;
  return `${copies} SELECT id, time_created, data FROM (
      SELECT id, time_created, ${data} AS data, ${at} AS at, id AS name, 1 AS part FROM message m
        WHERE session_id = (SELECT session FROM this)
      UNION ALL SELECT NULL, m.time_created, ${COPY_OF_MESSAGE}, m.time_created, m.id, 0
        FROM copies c CROSS JOIN message m ON m.id = c.copy)
    ORDER BY at, name, part`;
}

function sessionMessagesOf(tables: Tables, isOld: boolean): string {
  const data = jsonColumn("data");
  const isAlone = isOld ? "AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = n.id)" : "";
  const copies = sessionMessageCopies(tables);
  if (copies === null)
    return `SELECT ${columnsOf(tables, "session_message", ["id", "type", "seq", "time_created"])}, ${data} AS data
      FROM session_message n WHERE session_id = ? ${isAlone}
      ORDER BY ${columnOrNull(tables, "session_message", "seq")}, ${timeIn(tables, "session_message", "n")}, id`;
  return `${copies} SELECT id, type, seq, time_created, data FROM (
      SELECT id, type, seq, time_created, ${data} AS data, ${timeIn(tables, "session_message", "n")} AS at, id AS name, 1 AS part
        FROM session_message n WHERE session_id = (SELECT session FROM this) ${isAlone}
      UNION ALL SELECT NULL, n.type, n.seq, n.time_created, ${COPY_OF_ROW}, n.time_created, n.id, 0
        FROM copies c CROSS JOIN session_message n ON n.id = c.copy ${isAlone})
    ORDER BY seq, at, name, part`;
}

function sessionsOf(tables: Tables, { isOld, isNew }: Generations, hasNext: boolean, onlyOld: string): string {
  const stampOf = (table: string, where = "session_id = s.id"): string =>
    `(SELECT count(*) || '/' || coalesce(max(${columnOrNull(tables, table, "time_updated")}), 0) FROM ${table} WHERE ${where})`;
  const ofMessages = "message_id IN (SELECT id FROM message WHERE session_id = s.id)";
  const stamps = [
    ...(isOld ? [stampOf("message"), stampOf("part", ofSession(tables) ?? ofMessages)] : []),
    ...(hasNext ? [stampOf("session_message")] : []),
  ];
  const sessionsIn = (table: string, where = ""): string => {
    const [changed, begun] = ["time_updated", "time_created"].map((name) => columnOrNull(tables, table, name, "s."));
    return `SELECT s.id AS id, ${changed} AS changed, coalesce(${changed}, '') || ' ' || ${stamps.join(" || ' ' || ")} AS stamp,
      ${begun} AS begun FROM ${table} s ${where}`;
  };
  const sessions = [
    ...(isNew ? [sessionsIn("session_v2")] : []),
    ...(isOld ? [sessionsIn("session", `WHERE true ${onlyOld}`)] : []),
  ];
  return `SELECT id, changed, stamp FROM (${sessions.join(" UNION ALL ")}) ORDER BY begun, id`;
}

const ofSession = (tables: Tables): string | null =>
  tables.get("part")!.includes("session_id") ? "session_id = s.id" : null;

/** When a row was made; one without a time comes behind the one before, by their ids, which are in order. */
function timeIn(tables: Tables, table: string, alias: string): string {
  if (columnOrNull(tables, table, "time_created") === "NULL") return "NULL";
  return `coalesce(time_created, (SELECT max(b.time_created) FROM ${table} b
    WHERE b.session_id = ${alias}.session_id AND b.id < ${alias}.id), 0)`;
}
