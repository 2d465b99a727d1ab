// pi's database: the same entries, one a row, without what stands in columns beside them.
import type { DatabaseQueries, DatabaseReader, Draft, Tables } from "#lib/kernel/draft.ts";
import { columnOrNull, missingColumns, type TableRow } from "../database-rows.ts";
import { asText, clip, isObject } from "../json.ts";
import { entryDrafts } from "./pi-entries.ts";
import { headerOfRow, PI_ROW, type PiState } from "./pi-state.ts";

const NEEDED = {
  sessions: ["id", "created_at", "cwd"],
  entries: ["session_id", "seq", "id", "parent_id", "type", "timestamp", "payload"],
};

export const piDatabase: DatabaseReader = {
  queries(tables) {
    const isTree = ["parent_id", "payload"].every((column) => tables.get("entries")?.includes(column) === true);
    return isTree && tables.has("sessions") ? (missingColumns(tables, NEEDED) ?? queriesOf(tables)) : null;
  },
  isOpen: () => false,
};

function queriesOf(tables: Tables): DatabaseQueries {
  const hasFacts = ["session_id", "seq", "kind", "value"].every(
    (column) => tables.get("facts")?.includes(column) === true,
  );
  // A name that was given later stands behind the earlier one.
  const name = hasFacts
    ? "(SELECT f.value FROM facts f WHERE f.session_id = s.id AND f.kind = 'name' ORDER BY f.seq DESC LIMIT 1)"
    : "NULL";
  const parent = columnOrNull(tables, "sessions", "parent_session_id", "s.");
  return {
    sessions: `SELECT s.id AS id, max(CAST(strftime('%s', e.timestamp) AS INTEGER)) * 1000 AS changed,
        count(*) || '/' || max(e.seq) || '/' || coalesce(${name}, '') AS stamp
      FROM sessions s JOIN entries e ON e.session_id = s.id GROUP BY s.id ORDER BY s.created_at, s.id`,
    records: [
      {
        table: PI_ROW,
        sql: `SELECT s.id AS id, s.created_at AS created_at, s.cwd AS cwd, ${parent} AS parent_session_id, ${name} AS name
          FROM sessions s WHERE s.id = ?`,
      },
      {
        table: "pi_entries",
        sql: "SELECT id, parent_id, type, timestamp, payload FROM entries WHERE session_id = ? ORDER BY seq",
      },
    ],
  };
}

export function piRow({ table, row }: TableRow, state: PiState): Draft[] | null {
  if (table === PI_ROW) {
    const title = asText(row["name"])?.trim() ?? "";
    const drafts = entryDrafts(headerOfRow(row), state, "pi");
    if (title === "") return drafts;
    return [...drafts, { kind: "session", lane: "", patch: { title: clip(title, 300), titleRank: 2 } }];
  }
  if (table !== "pi_entries" || !isObject(row["payload"])) return null;
  const { id, parent_id: parentId, type, timestamp, payload } = row;
  return entryDrafts({ ...payload, type, id, parentId, timestamp }, state, "pi");
}
