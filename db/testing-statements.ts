// Set up before every file of unit tests: each statement that a test prepares is compared with what it is read as. Names and
// origins come from the statement itself; what an expression gives, and that a value is not null, is seen in the rows.
import { expect } from "vitest";
import type { Sqlite } from "./connection.ts";
import { newDatabase } from "./new-database.ts";
import { inspection, type Column, type Columns } from "./statement.ts";

type Statement = ReturnType<Sqlite["prepare"]>;
type Method = (...values: unknown[]) => unknown;
type Expected = {
  readonly name: string | null;
  readonly origin: string;
  readonly kind: string;
  readonly isNullable: boolean;
};

newDatabase.isCopied = true;

/** By schema, text and what it is read as: the archives of a process prepare the same statements. */
const checked = new Map<string, Expected[]>();

inspection.check = (sqlite, statement, given) => {
  const key = `${versionOf(sqlite)} ${statement.source} ${JSON.stringify(given)}`;
  let expected = checked.get(key);
  if (expected === undefined) checked.set(key, (expected = columnsChecked(sqlite, statement, given)));
  checkValues(statement, expected, typeof given === "string");
};

const versions = new WeakMap<Sqlite, unknown>();

/** The schema's version. While rows of another statement are being read nothing may be asked: then it is as it was. */
function versionOf(sqlite: Sqlite): unknown {
  try {
    versions.set(sqlite, sqlite.pragma("user_version", { simple: true }));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return versions.get(sqlite);
}

function columnsChecked(sqlite: Sqlite, statement: Statement, given: Column | Columns): Expected[] {
  const found = statement.columns();
  const expected = expectedOf(sqlite, given);
  const names = new Set(expected.map(({ name }) => name));
  if (typeof given !== "string") expect(new Set(found.map(({ name }) => name)), statement.source).toEqual(names);
  for (const { name, origin } of expected) {
    const column = found.find((one) => name === null || one.name === name)!;
    expect(`${column.name}: ${originOf(column)}`, statement.source).toBe(`${column.name}: ${origin}`);
  }
  return expected;
}

/** Empty for an expression. Tables that are made for a query declare their columns nowhere: those are checked as expressions. */
const originOf = ({ table, column }: { table: string | null; column: string | null }): string =>
  table === null || /^(search|pragma_.*|json_.*|sqlite_.*|.*_rows|held_bytes)$/.test(table) ? "" : `${table}.${column}`;

function expectedOf(sqlite: Sqlite, given: Column | Columns): Expected[] {
  if (typeof given === "string") return [claimOf(sqlite, null, given)];
  return Object.entries(given).flatMap(([name, column]): Expected[] =>
    column.endsWith(".*")
      ? columnsOf(sqlite, column.slice(0, -2)).map((one) => claimOf(sqlite, one, `${column.slice(0, -1)}${one}`))
      : [claimOf(sqlite, name, column)],
  );
}

const columnsOf = (sqlite: Sqlite, table: string): string[] =>
  sqlite.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];

function claimOf(sqlite: Sqlite, name: string | null, text: string): Expected {
  const plain = text.replace(/[?!]$/, "");
  if (!plain.includes(".")) return { name, origin: "", kind: plain, isNullable: text.endsWith("?") };
  const [table, column] = plain.split(".");
  const made = sqlite
    .prepare(
      `SELECT lower(type) AS kind, "notnull" = 0 AND pk = 0 AS isNullable FROM pragma_table_info(?) WHERE name = ?`,
    )
    .get(table, column) as { kind: string; isNullable: number };
  const isNullable = text.endsWith("?") || (made.isNullable === 1 && !text.endsWith("!"));
  return { name, origin: plain, kind: made.kind, isNullable };
}

/** Rows are compared as they are given. */
function checkValues(statement: Statement, expected: readonly Expected[], isScalar: boolean): void {
  // Looked up when it is called: a test may watch the methods of all statements.
  const call = (method: "get" | "all" | "iterate", values: unknown[]): unknown =>
    (Object.getPrototypeOf(statement) as Record<typeof method, Method>)[method].apply(statement, values);
  const check = <T>(row: T): T => {
    for (const [i, { name, kind, isNullable }] of expected.entries()) {
      const value = isScalar ? row : (row as Record<string, unknown>)[name!];
      if (isScalar && i > 0) break;
      if (!fits(value, kind, isNullable))
        throw new Error(
          `${name ?? "The value"} is ${value === null ? "null" : typeof value}, not ${kind}: ${statement.source}`,
        );
    }
    return row;
  };
  Object.assign(statement, {
    get(...values: unknown[]) {
      const row = call("get", values);
      return row === undefined ? undefined : check(row);
    },
    all: (...values: unknown[]) => (call("all", values) as unknown[]).map(check),
    *iterate(...values: unknown[]) {
      for (const row of call("iterate", values) as Iterable<unknown>) yield check(row);
    },
  });
}

function fits(value: unknown, kind: string, isNullable: boolean): boolean {
  if (value === null) return isNullable;
  if (kind === "blob") return value instanceof Uint8Array;
  return typeof value === (kind === "text" ? "string" : "number");
}
