// The sum of each session's own row. A trigger marks it as unknown when the row changes, and it is taken before the commit:
// ten updates of sixty columns cost one hash. A row that is not what was written is found before it is changed, and stays
// marked until it is made anew.
import type Database from "better-sqlite3";

type Sqlite = Database.Database;

export const SESSIONS = "sessions";
/** A row changed outside of a batch, or its batch is not at its end. */
export const UNKNOWN = -1;
/** Before its last change the row was not what was written. */
const WRONG = -2;

type Changed = { readonly sessions: Set<number>; take: Database.Statement<[number]> | null };

/** Sessions that a connection changed since their sums were taken. */
const changed = new WeakMap<Sqlite, Changed>();

/** SQL's note_session(), which the triggers call. */
export function registerSessionNote(sqlite: Sqlite): void {
  const sessions = new Set<number>();
  changed.set(sqlite, { sessions, take: null });
  sqlite.function("note_session", (pk: unknown) => {
    sessions.add(Number(pk));
    return null;
  });
}

export const sessionTriggers = (hashOfOld: string): [event: string, work: string][] => [
  [
    "INSERT",
    `INSERT OR REPLACE INTO row_sums (tbl, grp, sum) VALUES ('${SESSIONS}', NEW.pk, ${UNKNOWN}); SELECT note_session(NEW.pk);`,
  ],
  ["DELETE", `DELETE FROM row_sums WHERE tbl = '${SESSIONS}' AND grp = OLD.pk;`],
  [
    "UPDATE",
    `UPDATE row_sums SET sum = iif(sum = ${hashOfOld}, ${UNKNOWN}, ${WRONG}) WHERE tbl = '${SESSIONS}' AND grp = OLD.pk AND sum >= 0; SELECT note_session(NEW.pk);`,
  ],
];

/** Takes the sums of the sessions that changed, inside of the transaction that changed them. */
export function sumSessions(sqlite: Sqlite): void {
  const own = changed.get(sqlite);
  if (own === undefined || own.sessions.size === 0) return;
  own.take ??= sqlite.prepare<[number]>(takeSums(sqlite, "AND grp = ?"));
  for (const pk of own.sessions) own.take.run(pk);
  own.sessions.clear();
}

/** Takes the sums that a process left unknown when it ended. */
export function sumUnknown(sqlite: Sqlite): void {
  const isAny = sqlite.prepare("SELECT 1 FROM row_sums WHERE tbl = ? AND sum = ?").get(SESSIONS, UNKNOWN);
  if (isAny !== undefined) sqlite.exec(takeSums(sqlite, ""));
}

function takeSums(sqlite: Sqlite, where: string): string {
  const columns = sqlite.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(SESSIONS) as string[];
  const hash = `row_hash(${columns.map((column) => `"${column}"`).join(", ")})`;
  return `UPDATE row_sums SET sum = (SELECT ${hash} FROM ${SESSIONS} WHERE pk = grp) WHERE tbl = '${SESSIONS}' AND sum = ${UNKNOWN} ${where}`;
}

/** A change of session rows that is no part of a batch, with the sums of what it changed. */
export function changeSessions(sqlite: Sqlite, change: () => unknown): void {
  if (sqlite.inTransaction) change();
  else
    sqlite
      .transaction(() => {
        change();
        sumSessions(sqlite);
      })
      .immediate();
}
