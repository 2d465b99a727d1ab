// Sessions as a search filters and shows them, and which of them a query is about.
import type { Sqlite } from "#db/connection.ts";
import { columns, query, type Columns, type RowOf } from "#db/statement.ts";
import { captured } from "#lib/formats/captured.ts";
import {
  isOfMark,
  type Comparison,
  type FilterOf,
  type MarkFilter,
  type SearchFilter,
} from "#lib/kernel/search/search-filter.ts";
import type { Archive } from "../base/archive-type.ts";
import { databaseState } from "../base/database-state.ts";
import { cached } from "../base/per-archive.ts";
import { unsearchedSessions } from "../import/archived-transcripts.ts";
import { eventRowId, seqOfRow, sessionOfRow } from "../base/row-keys.ts";
import { agentsNamed, isNamedSession, type NamesAgent } from "../import/named-agents.ts";
import { isOfMade, madeSessions, type MadeFilter } from "./made-sessions.ts";

const ROW = columns(
  "sessions",
  ...(["pk", "id", "title", "format", "agent_name", "model", "cwd", "branch", "usd"] as const),
  ...(["started_at", "parent_pk"] as const),
) satisfies Columns;

export type SearchedSession = RowOf<typeof ROW>;

/** All sessions that a search may find, by key. */
export function searchedSessions(archive: Archive): ReadonlyMap<number, SearchedSession> {
  const { sqlite } = archive;
  return cached(archive, "searched sessions", databaseState(archive), () => {
    const hidden = new Set(unsearchedSessions(archive));
    const rows = query(
      sqlite,
      ROW,
      "SELECT pk, id, title, format, agent_name, model, cwd, branch, usd, started_at, parent_pk FROM sessions",
    ).all();
    return new Map(
      rows.flatMap((row) =>
        // What was captured of a session is shown in that session.
        hidden.has(row.pk) || (row.parent_pk !== null && row.format === captured.id) ? [] : [[row.pk, row] as const],
      ),
    );
  });
}

type SessionFilter =
  | MarkFilter
  | MadeFilter
  | FilterOf<"agent">
  | FilterOf<"project">
  | FilterOf<"model">
  | FilterOf<"branch">
  | FilterOf<"cost">;

/** True where a filter asks of the whole session. */
export const isOfSession = (filter: SearchFilter): filter is SessionFilter =>
  ["agent", "project", "model", "branch", "cost"].includes(filter.field) || isOfMark(filter) || isOfMade(filter);

/** Where marks are that a filter asks for: on whole sessions, and on events by their row. */
export type MarkRows = { readonly sessions: ReadonlySet<number>; readonly events: ReadonlySet<number> };

/** Of each filter that asks for a mark. */
export const markRows = (archive: Archive, filters: readonly SearchFilter[]): ReadonlyMap<SearchFilter, MarkRows> =>
  new Map(filters.filter(isOfMark).map((filter) => [filter, rowsOfMark(archive, filter)]));

const folded = (text: string): string => text.normalize("NFC").toLowerCase();

function rowsOfMark({ sqlite }: Archive, filter: MarkFilter): MarkRows {
  const wanted = filter.field === "is" ? "" : folded(filter.value.trim());
  const rows = query(
    sqlite,
    { pk: "marks.session_pk", seq: "marks.seq", value: "marks.value" },
    "SELECT session_pk AS pk, seq, value FROM marks WHERE kind = ?",
  )
    .all(filter.field === "is" ? "star" : filter.field)
    // Not in SQL: SQLite knows the cases of ASCII alone.
    .filter(({ value }) => (filter.field === "note" ? folded(value).includes(wanted) : folded(value) === wanted));
  return {
    sessions: new Set(rows.flatMap(({ pk, seq }) => (seq === 0 ? [pk] : []))),
    events: new Set(rows.flatMap(({ pk, seq }) => (seq === 0 ? [] : [eventRowId(pk, seq)]))),
  };
}

/** Marked events that the index does not have, such as those of history that is found where it began. */
export function unsearchedMarks(archive: Archive, index: Sqlite, filters: readonly SearchFilter[]): number {
  const wanted = [...markRows(archive, filters)].filter(([{ not }]) => !not);
  const rows = new Set(
    wanted.flatMap(([, { sessions, events }]) => [...events].filter((row) => !sessions.has(sessionOfRow(row)))),
  );
  const isIndexed = index.prepare("SELECT 1 FROM docs WHERE session = ? AND seq = ?").pluck();
  return [...rows].filter((row) => isIndexed.get(sessionOfRow(row), seqOfRow(row)) === undefined).length;
}

/** Keys of the sessions that a query is about; null where no filter speaks of sessions. */
export function sessionsOf(archive: Archive, filters: readonly SearchFilter[]): ReadonlySet<number> | null {
  const sessions = searchedSessions(archive);
  const marks = markRows(archive, filters);
  const made = madeSessions(archive, filters);
  const asked = filters.filter(isOfSession);
  const agents = new Map(
    asked.flatMap((one) => (one.field === "agent" ? [[one, agentsNamed(one.value)] as const] : [])),
  );
  if (asked.length === 0) return null;
  const byField = Object.values(Object.groupBy(asked, (one) => `${one.field} ${one.not || one.field === "cost"}`));
  const fits = (session: SearchedSession): boolean =>
    byField.every((group) =>
      group![0]!.not || group![0]!.field === "cost"
        ? group!.every((one) => holds(one, session, { marks, made, agents }) !== one.not)
        : group!.some((one) => holds(one, session, { marks, made, agents })),
    );
  return new Set([...sessions.values()].filter(fits).map(({ pk }) => pk));
}

type Asked = {
  readonly marks: ReadonlyMap<SearchFilter, MarkRows>;
  readonly made: ReadonlyMap<SearchFilter, ReadonlySet<number>>;
  readonly agents: ReadonlyMap<SearchFilter, NamesAgent>;
};

/** A session has the mark of one of its events; who does not want it refuses that of the whole session alone. */
function holds(filter: SessionFilter, session: SearchedSession, { marks, made, agents }: Asked): boolean {
  switch (filter.field) {
    case "agent":
      return isNamedSession(agents.get(filter)!, session.format, session.agent_name);
    case "project":
      return isIn(filter.value, session.cwd);
    case "model":
      return isIn(filter.value, session.model);
    case "branch":
      return isIn(filter.value, session.branch);
    case "label":
    case "note":
    case "is":
      return (
        marks.get(filter)!.sessions.has(session.pk) ||
        (!filter.not && [...marks.get(filter)!.events].some((row) => sessionOfRow(row) === session.pk))
      );
    case "commit":
    case "pr":
      return made.get(filter)!.has(session.pk);
    case "cost":
      return session.usd !== null && compares(session.usd, filter.op, filter.amount);
  }
}

const isIn = (value: string, text: string | null): boolean =>
  text !== null && text.toLowerCase().includes(value.toLowerCase());

const compares = (value: number, op: Comparison, amount: number): boolean =>
  op === ">"
    ? value > amount
    : op === ">="
      ? value >= amount
      : op === "<"
        ? value < amount
        : op === "<="
          ? value <= amount
          : value === amount;
