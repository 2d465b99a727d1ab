// Sessions as a search filters and shows them, and which of them a query is about.
import { columns, query, type Columns, type RowOf } from "#db/statement.ts";
import { captured } from "#lib/formats/captured.ts";
import type { Comparison, FilterOf, SearchFilter } from "#lib/kernel/search/search-filter.ts";
import type { Archive } from "../base/archive-type.ts";
import { cached } from "../base/per-archive.ts";
import { unsearchedSessions } from "../import/archived-transcripts.ts";
import { labelOf } from "../import/format-label.ts";

const ROW = columns(
  "sessions",
  ...(["pk", "id", "title", "format", "model", "cwd", "branch", "usd", "started_at", "parent_pk"] as const),
) satisfies Columns;

export type SearchedSession = RowOf<typeof ROW> & { readonly agent: string };

/** All sessions that a search may find, by key. */
export function searchedSessions(archive: Archive): ReadonlyMap<number, SearchedSession> {
  const { sqlite } = archive;
  // What another connection wrote, and what this one did.
  const changed = sqlite.prepare("SELECT total_changes()").pluck().get() as number;
  const version = `${String(sqlite.pragma("data_version", { simple: true }))} ${changed}`;
  return cached(archive, "searched sessions", version, () => {
    const hidden = new Set(unsearchedSessions(archive));
    const rows = query(
      sqlite,
      ROW,
      "SELECT pk, id, title, format, model, cwd, branch, usd, started_at, parent_pk FROM sessions",
    ).all();
    return new Map(
      rows.flatMap((row) =>
        // What was captured of a session is shown in that session.
        hidden.has(row.pk) || (row.parent_pk !== null && row.format === captured.id)
          ? []
          : [[row.pk, { ...row, agent: labelOf(row.format) }] as const],
      ),
    );
  });
}

type SessionFilter =
  | FilterOf<"agent">
  | FilterOf<"project">
  | FilterOf<"model">
  | FilterOf<"branch">
  | FilterOf<"cost">;

/** True where a filter asks of the whole session. */
export const isOfSession = (filter: SearchFilter): filter is SessionFilter =>
  ["agent", "project", "model", "branch", "cost"].includes(filter.field);

/** Keys of the sessions that a query is about; null where no filter speaks of sessions. */
export function sessionsOf(
  sessions: ReadonlyMap<number, SearchedSession>,
  filters: readonly SearchFilter[],
): ReadonlySet<number> | null {
  const asked = filters.filter(isOfSession);
  if (asked.length === 0) return null;
  const byField = Object.values(Object.groupBy(asked, (one) => `${one.field} ${one.not || one.field === "cost"}`));
  const fits = (session: SearchedSession): boolean =>
    byField.every((group) =>
      group![0]!.not || group![0]!.field === "cost"
        ? group!.every((one) => holds(one, session) !== one.not)
        : group!.some((one) => holds(one, session)),
    );
  return new Set([...sessions.values()].filter(fits).map(({ pk }) => pk));
}

function holds(filter: SessionFilter, session: SearchedSession): boolean {
  switch (filter.field) {
    case "agent":
      return isIn(filter.value, session.format) || isIn(filter.value, session.agent);
    case "project":
      return isIn(filter.value, session.cwd);
    case "model":
      return isIn(filter.value, session.model);
    case "branch":
      return isIn(filter.value, session.branch);
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
