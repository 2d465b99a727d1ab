// A sum over the rows of a table and session, kept by triggers: half of all random bit flips in a database pass SQLite's
// own check, and a value that changed under Plimsoll makes the sum of its rows another. The triggers are made of the schema,
// and made anew when it changes. A sum is of 48 bits, so that adding stays exact in a double. A session's own row changes
// ten times in an import: its sum is taken once, before the commit (session-sums.ts).
import { crc32 } from "node:zlib";
import type Database from "better-sqlite3";
import { sessionTriggers, SESSIONS, UNKNOWN } from "./session-sums.ts";

type Sqlite = Database.Database;

const MASK = 0xffff_ffff_ffff;
const TABLE =
  "CREATE TABLE IF NOT EXISTS row_sums (tbl TEXT, grp INTEGER, sum INTEGER NOT NULL, PRIMARY KEY (tbl, grp)) STRICT, WITHOUT ROWID";

/**
 * Rows of the journal live for seconds, and what they hold is checked by digest and checksum when it is made good. The
 * others change with each line of a log, and sums of them took half of an import of 40 MB again: each of their rows has a
 * checksum of its own, written with the row.
 */
export const UNSUMMED: ReadonlySet<string> = new Set([
  "row_sums",
  "journal",
  "events",
  "model_calls",
  "tool_interactions",
]);

export type WrongSum = {
  readonly table: string;
  /** The key of a session, where rows have one. */ readonly group: number;
};

/** SQL's row_hash(): what triggers and checks call. Every connection needs it. */
export function registerRowHash(sqlite: Sqlite): void {
  sqlite.function("row_hash", { varargs: true, deterministic: true }, (...values: unknown[]) => rowHash(values));
}

/** A checksum of values as a row holds them. */
export function rowHash(values: readonly unknown[]): number {
  let text = "";
  for (const value of values)
    text +=
      value instanceof Uint8Array ? `b${crc32(value)}\u0001` : `${typeof value === "string" ? "t" : "n"}${value}\u0001`;
  return crc32(asStored(text));
}

/** A lone surrogate comes back from SQLite as other characters than went in: both count as one. */
export const asStored = (text: string): string =>
  text.isWellFormed() && !text.includes("\ufffd") ? text : text.replaceAll(/[\ud800-\udfff\ufffd]+/gu, "\ufffd");

/** Makes the triggers that are missing or of an older schema, and the sums of their tables. */
export function keepRowSums(sqlite: Sqlite): void {
  const wanted = new Map(
    summedTables(sqlite).flatMap((table) => triggersOf(sqlite, table).map((one) => [one.name, { ...one, table }])),
  );
  const there = new Map(
    (
      sqlite.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'row_sum_%'").all() as {
        name: string;
        sql: string;
      }[]
    ).map(({ name, sql }) => [name, sql]),
  );
  const stale = new Set(
    [...wanted.values()].filter(({ name, sql }) => there.get(name) !== sql).map(({ table }) => table),
  );
  if (stale.size === 0) return;
  sqlite
    .transaction(() => {
      sqlite.exec(TABLE);
      for (const { name, sql, table } of wanted.values())
        if (stale.has(table)) sqlite.exec(`DROP TRIGGER IF EXISTS "${name}"; ${sql}`);
      for (const table of stale) sumAnew(sqlite, table);
    })
    .immediate();
}

/** Before a migration: a trigger that names a column stands in the way of its change. */
export function dropRowSums(sqlite: Sqlite): void {
  for (const name of sqlite
    .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'row_sum_%'")
    .pluck()
    .all() as string[])
    sqlite.exec(`DROP TRIGGER "${name}"`);
}

/** Tables and sessions whose rows are not what was written. */
export function wrongSums(sqlite: Sqlite, onError: (table: string, error: unknown) => void): WrongSum[] {
  const wrong: WrongSum[] = [];
  // An archive that was not opened for writing since sums are kept.
  if (sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = 'row_sums'").get() === undefined) return wrong;
  // Rows and their sums as they are at one time: somebody may be writing.
  const look = sqlite.transaction((table: string) => wrongSumsOf(sqlite, table));
  for (const table of summedTables(sqlite)) {
    try {
      for (const one of look(table)) wrong.push(one);
    } catch (error) {
      onError(table, error);
    }
  }
  return wrong;
}

function wrongSumsOf(sqlite: Sqlite, table: string): WrongSum[] {
  const wrong: WrongSum[] = [];
  const kept = sqlite.prepare("SELECT grp, sum FROM row_sums WHERE tbl = ?").raw();
  const found = sumsOf(sqlite, table);
  const rest = new Map(found);
  for (const [group, sum] of kept.all(table) as [number, number][]) {
    if (sum !== UNKNOWN && (found.get(group) ?? 0) !== sum) wrong.push({ table, group });
    rest.delete(group);
  }
  for (const [group, sum] of rest) if (sum !== 0) wrong.push({ table, group });
  return wrong;
}

/** Takes the rows of a table as they are now. */
export function sumAnew(sqlite: Sqlite, table: string): void {
  sqlite.prepare("DELETE FROM row_sums WHERE tbl = ?").run(table);
  const insert = sqlite.prepare("INSERT INTO row_sums (tbl, grp, sum) VALUES (?, ?, ?)");
  for (const [group, sum] of sumsOf(sqlite, table)) insert.run(table, group, sum);
}

function sumsOf(sqlite: Sqlite, table: string): Map<number, number> {
  const columns = columnsOf(sqlite, table);
  const sums = new Map<number, number>();
  const rows = sqlite.prepare(`SELECT ${groupOf(table, columns, "")}, ${hashOf(columns, "")} FROM "${table}"`).raw();
  for (const [group, hash] of rows.iterate() as IterableIterator<[number, number]>)
    sums.set(group, ((sums.get(group) ?? 0) + hash) % (MASK + 1));
  return sums;
}

function triggersOf(sqlite: Sqlite, table: string): { name: string; sql: string }[] {
  const columns = columnsOf(sqlite, table);
  if (table === SESSIONS)
    return sessionTriggers(hashOf(columns, "OLD.")).map(([event, work]) => trigger(table, event, work));
  const change = (row: "NEW" | "OLD", sign: "+" | "-"): string => {
    const group = groupOf(table, columns, `${row}.`);
    const make =
      row === "OLD"
        ? ""
        : `INSERT INTO row_sums SELECT '${table}', ${group}, 0 WHERE NOT EXISTS (SELECT 1 FROM row_sums WHERE tbl = '${table}' AND grp = ${group}); `;
    return `${make}UPDATE row_sums SET sum = CAST(sum ${sign} ${hashOf(columns, `${row}.`)} AS INTEGER) & ${MASK} WHERE tbl = '${table}' AND grp = ${group};`;
  };
  return (
    [
      ["INSERT", change("NEW", "+")],
      ["DELETE", change("OLD", "-")],
      ["UPDATE", `${change("OLD", "-")} ${change("NEW", "+")}`],
    ] as const
  ).map(([event, work]) => trigger(table, event, work));
}

function trigger(table: string, event: string, work: string): { name: string; sql: string } {
  const name = `row_sum_${event.toLowerCase()}_${table}`;
  return { name, sql: `CREATE TRIGGER "${name}" AFTER ${event} ON "${table}" BEGIN ${work} END` };
}

const summedTables = (sqlite: Sqlite): string[] =>
  (
    sqlite
      .prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
      )
      .pluck()
      .all() as string[]
  ).filter((name) => !UNSUMMED.has(name));

const columnsOf = (sqlite: Sqlite, table: string): string[] =>
  sqlite.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];

const hashOf = (columns: readonly string[], row: string): string =>
  `row_hash(${columns.map((column) => `${row}"${column}"`).join(", ")})`;

/** Rows of one session are summed together, so that it alone is read again. */
const groupOf = (table: string, columns: readonly string[], row: string): string =>
  table === SESSIONS ? `${row}"pk"` : columns.includes("session_pk") ? `coalesce(${row}"session_pk", 0)` : "0";
