// OpenClaw's second generation: one database for each agent, in which a transcript is the same entries, one a row. Long ones are packed.
import type { DatabaseQueries, DatabaseReader, Draft, Tables } from "#lib/kernel/draft.ts";
import { columnsOf, missingColumns, type TableRow } from "../database-rows.ts";
import { asText, clip, isObject } from "../json.ts";
import { asMs } from "../opencode/opencode-drafts.ts";
import { entryDrafts } from "./pi-entries.ts";
import type { Listed, PiState } from "./pi-state.ts";

/** The row of a session: a window of the log between two resets that gave it a new id. */
export const SESSION_ROW = "session_windows";

const NEEDED = {
  session_windows: ["session_id", "session_key", "created_at", "updated_at"],
  transcript_events: ["session_id", "seq", "created_at", "event_json"],
};
const WINDOW = ["session_key", "previous_session_id", "reason", "created_at", "channel", "display_name"];

export const openClawDatabase: DatabaseReader = {
  queries(tables) {
    if (!tables.has("transcript_events") || !tables.has("session_windows")) return null;
    return missingColumns(tables, NEEDED) ?? queriesOf(tables);
  },
  isOpen: () => false,
};

function queriesOf(tables: Tables): DatabaseQueries {
  const has = (table: string, column: string): boolean => tables.get(table)?.includes(column) === true;
  const event = has("transcript_events", "event_zstd") ? "coalesce(event_json, zstd_text(event_zstd))" : "event_json";
  const bytes = has("transcript_events", "event_utf8_bytes") ? "coalesce(sum(e.event_utf8_bytes), 0)" : "0";
  const node = (column: string): string => (has("session_nodes", column) ? `n.${column}` : "NULL");
  const isNamed = has("session_nodes", "session_key");
  const parent = ["spawned_by", "parent_session_key"].filter((column) => has("session_windows", column));
  const parentKey =
    parent.length === 0 ? "NULL" : `coalesce(${[...parent.map((one) => `w.${one}`), "NULL"].join(", ")})`;
  const windowColumns = columnsOf(tables, "session_windows", WINDOW, "w.");
  const parentId =
    isNamed && has("session_nodes", "current_session_id")
      ? `(SELECT p.current_session_id FROM session_nodes p WHERE p.session_key = ${parentKey})`
      : "NULL";
  const join = isNamed ? "LEFT JOIN session_nodes n ON n.session_key = w.session_key" : "";
  return {
    // A transcript that was moved to a file of its own has no rows left.
    sessions: `SELECT w.session_id AS id, max(e.created_at) AS changed,
        count(*) || '/' || max(e.seq) || '/' || max(e.created_at) || '/' || ${bytes} || '/' || coalesce(max(${isNamed ? node("label") : "NULL"}), '') AS stamp
      FROM session_windows w JOIN transcript_events e ON e.session_id = w.session_id ${join}
      GROUP BY w.session_id ORDER BY w.created_at, w.session_id`,
    records: [
      {
        table: SESSION_ROW,
        sql: `SELECT w.session_id AS id, ${windowColumns}${isNamed ? `, ${node("label")} AS label, ${node("display_name")} AS name` : ""}, ${parentId} AS parent
          FROM session_windows w ${join} WHERE w.session_id = ?`,
      },
      {
        table: "transcript_events",
        sql: `SELECT CAST(seq AS TEXT) AS id, created_at, ${event} AS event FROM transcript_events WHERE session_id = ? ORDER BY seq`,
      },
    ],
  };
}

/** What the row of a session says, as an index beside a transcript said it before. */
export function listedRow(row: Readonly<Record<string, unknown>>): Listed {
  const titles = [row["label"], row["name"], row["display_name"]].map((title) => asText(title)?.trim() ?? "");
  const parent = asText(row["parent"]);
  return {
    key: asText(row["session_key"]) ?? "",
    title: titles.find((title) => title !== "") ?? null,
    parent: parent === asText(row["id"]) ? null : parent,
  };
}

export function openClawRow({ table, row }: TableRow, state: PiState): Draft[] | null {
  if (table === SESSION_ROW) {
    state.id ??= asText(row["id"]);
    const text = [row["session_key"], row["reason"], row["channel"]].filter((one) => typeof one === "string").join(" ");
    const previous = asText(row["previous_session_id"]);
    const patch = previous === null ? {} : { parent: previous, relation: "continuation" as const };
    return [
      { kind: "session", lane: "", patch: { agentName: "OpenClaw", ...patch } },
      {
        ...{ kind: "event" as const, lane: "", ts: asMs(row["created_at"]), recordKey: null, callKey: null },
        ...{ startsTurn: false, body: { type: "meta" as const, subtype: "session window", text: clip(text, 300) } },
      },
    ];
  }
  if (table !== "transcript_events") return null;
  return isObject(row["event"]) ? entryDrafts(row["event"], state, "OpenClaw") : null;
}
