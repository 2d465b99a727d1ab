// The tables of OpenCode's database. Columns that a release adds are left; one that is missing is named. Times of changes are no part
// of a record: they would make every row another one whenever the session goes on.
import { CONTINUES } from "#lib/kernel/continuation.ts";
import type { DatabaseQueries, DatabaseReader, Tables } from "#lib/kernel/draft.ts";
import { asObject } from "../json.ts";
import { CONTINUATION_ROWS } from "./opencode-copies.ts";

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  session: ["id", "directory", "title", "time_created", "time_updated"],
  message: ["id", "session_id", "time_created", "time_updated", "data"],
  part: ["id", "message_id", "session_id", "time_updated", "data"],
};
const SESSION = ["id", "parent_id", "directory", "title", "version", "agent", "revert", "time_created"];
/** Of the generation that keeps no parts: read as far as its rows, which nothing here understands yet. */
const NEXT = ["id", "session_id", "type", "seq", "time_created", "time_updated", "data"];

export const openCodeDatabase: DatabaseReader = {
  queries(tables) {
    if (!tables.has("session") || !tables.has("message") || !tables.has("part")) return null;
    for (const [table, columns] of Object.entries(NEEDED)) {
      const missing = columns.filter((column) => !tables.get(table)!.includes(column));
      if (missing.length > 0) return `The table "${table}" has no ${missing.join(", ")}.`;
    }
    return queriesOf(tables);
  },
  isOpen(table, row) {
    const data = asObject(row["data"]);
    return (
      table === "message" &&
      data["role"] === "assistant" &&
      asObject(data["time"])["completed"] === undefined &&
      data["error"] === undefined
    );
  },
};

/** In the metadata of a session that Plimsoll wrote: `of` whose continuation it is, `as` its own id. A fork of the agent's own copies both. */
const CONTINUATION_OF = `SELECT id, json_extract(metadata, '$.${CONTINUES}.of') AS 'of' FROM session
  WHERE id = ? AND CASE WHEN json_valid(metadata) THEN json_extract(metadata, '$.${CONTINUES}.as') = id ELSE 0 END`;

function queriesOf(tables: Tables): DatabaseQueries {
  const columns = SESSION.filter((column) => tables.get("session")!.includes(column)).join(", ");
  const hasNext = NEXT.every((column) => tables.get("session_message")?.includes(column) === true);
  const stamp = (table: string): string =>
    `(SELECT count(*) || '/' || coalesce(max(time_updated), 0) FROM ${table} WHERE session_id = session.id)`;
  const stamps = ["message", "part", ...(hasNext ? ["session_message"] : [])].map(stamp);
  return {
    sessions: `SELECT id, time_updated AS changed, time_updated || ' ' || ${stamps.join(" || ' ' || ")} AS stamp
      FROM session ORDER BY time_created, id`,
    records: [
      { table: "session", sql: `SELECT ${columns} FROM session WHERE id = ?` },
      ...(tables.get("session")!.includes("metadata") ? [{ table: CONTINUATION_ROWS, sql: CONTINUATION_OF }] : []),
      {
        table: "message",
        sql: "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id",
        children: { table: "part", sql: "SELECT id, data FROM part WHERE message_id = ? ORDER BY id" },
      },
      ...(hasNext
        ? [
            {
              table: "session_message",
              sql: "SELECT id, type, seq, time_created, data FROM session_message WHERE session_id = ? ORDER BY seq",
            },
          ]
        : []),
    ],
  };
}
