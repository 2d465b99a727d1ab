// Forks that the agent makes itself: a new session with copies of messages under new ids. A copy keeps the time at which its message was
// made, which lies before its session's own; a fork of OpenCode 2 names the session that it came from, and keeps numbers too. Before each
// copy stands a row that names the original: of all sessions with that message, the one that began first.
import type { Tables } from "#lib/kernel/draft.ts";
import { columnOrNull } from "../database-rows.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";

/** What the row before a copy says. */
export type Copied = {
  readonly id: string;
  /** Ids and types of the original's parts that no copy was found for so far. */
  readonly parts: readonly (readonly [string, string])[];
  readonly parent: string | null;
};

/** Parts of an original that are remembered: those behind them have the names of their copies. */
const MOST_PARTS = 24;

export function copiedOf(row: Json): Copied | null {
  if (row["id"] !== null) return null;
  const { copy_of: id, parts, fork_of: parent } = asObject(row["data"]);
  if (typeof id !== "string") return null;
  const own = asArray(parts).map((part) => asArray(part).map((one) => asText(one) ?? "") as [string, string]);
  return { id, parts: own, parent: asText(parent) };
}

/** The original of a part of this type, and the parts behind it: they keep their order, and Kilo leaves some out. */
export function originalPart({ parts }: Copied, type: string): readonly [string | null, Copied["parts"]] {
  const at = parts.findIndex((one) => one[1] === type);
  return at === -1 ? [null, parts] : [parts[at]![0], parts.slice(at + 1)];
}

const hasAll = (tables: Tables, table: string, columns: readonly string[]): boolean =>
  columns.every((column) => tables.get(table)?.includes(column) === true);

/** A text inside a column of JSON; NULL where that is packed or damaged. */
const inside = (column: string, path: string): string =>
  `CASE WHEN json_valid(${column}, 9) THEN json_extract(${column}, '${path}') END`;

const THIS = (tables: Tables, table: string): string =>
  `this AS MATERIALIZED (SELECT id AS session, time_created AS begun, ${columnOrNull(tables, table, "parent_id")} AS above
    FROM ${table} WHERE id = ?)`;

/** `this`, and `copies`: the messages that a session of the first generation copied, with their originals. */
export function messageCopies(tables: Tables): string | null {
  if (!["session", "message"].every((table) => hasAll(tables, table, ["time_created"]))) return null;
  return `WITH ${THIS(tables, "session")},
    first AS MATERIALIZED (SELECT m.time_created AS at FROM this CROSS JOIN message m
      WHERE m.session_id = this.session AND m.time_created < this.begun ORDER BY m.time_created LIMIT 1),
    family AS MATERIALIZED (SELECT DISTINCT s.id AS session, s.time_created AS begun
      FROM first CROSS JOIN message o ON o.time_created = first.at CROSS JOIN session s ON s.id = o.session_id),
    known AS MATERIALIZED (SELECT o.id AS copy, o.session_id AS of, o.time_created AS at,
        first_value(o.id) OVER same AS original, first_value(o.session_id) OVER same AS parent
      FROM family f CROSS JOIN message o ON o.session_id = f.session
      WINDOW same AS (PARTITION BY o.time_created, ${inside("o.data", "$.role")} ORDER BY f.begun, o.id)),
    copies AS MATERIALIZED (SELECT copy, original, CASE WHEN this.above IS NULL THEN parent END AS parent FROM known, this
      WHERE known.of = this.session AND known.at < this.begun AND original <> copy)`;
}

export const COPY_OF_MESSAGE = `json_object('copy_of', c.original, 'fork_of', c.parent, 'parts', (SELECT json_group_array(json_array(id, type))
    FROM (SELECT p.id, ${inside("p.data", "$.type")} AS type FROM part p WHERE p.message_id = c.original ORDER BY p.id LIMIT ${MOST_PARTS})))`;

/** The same of OpenCode 2, where the session names the one that it came from. */
export function sessionMessageCopies(tables: Tables): string | null {
  const table = ["session_v2", "session"].find((one) => hasAll(tables, one, ["fork_session_id", "time_created"]));
  if (table === undefined || !hasAll(tables, "session_message", ["seq", "time_created", "type"])) return null;
  return `WITH RECURSIVE ${THIS(tables, table)},
    up(session, parent, depth) AS (SELECT s.id, s.fork_session_id, 0 FROM ${table} s JOIN this ON s.id = this.session
      UNION ALL SELECT s.id, s.fork_session_id, depth + 1 FROM up JOIN ${table} s ON s.id = up.parent WHERE depth < 100),
    known AS MATERIALIZED (SELECT o.id AS copy, o.session_id AS of,
        first_value(o.id) OVER (PARTITION BY o.seq, o.time_created, o.type ORDER BY up.depth DESC) AS original
      FROM up CROSS JOIN session_message o ON o.session_id = up.session WHERE (SELECT max(depth) FROM up) > 0),
    copies AS MATERIALIZED (SELECT copy, original, (SELECT parent FROM up WHERE depth = 0) AS parent FROM known, this
      WHERE known.of = this.session AND original <> copy)`;
}

export const COPY_OF_ROW = "json_object('copy_of', c.original, 'fork_of', c.parent)";
