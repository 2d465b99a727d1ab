import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { connect, databasePath } from "./connection.ts";
import { MIGRATIONS } from "./migrations.ts";
import * as artifactTables from "./schema/artifact-tables.ts";
import * as memoryTables from "./schema/memory-tables.ts";
import * as sessionTables from "./schema/session-tables.ts";
import * as settingsTables from "./schema/settings-tables.ts";
import * as sourceTables from "./schema/source-tables.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-db-"));
});
afterEach(() => {
  vi.doUnmock("./migrations.ts");
  vi.resetModules();
  rmSync(dir, { recursive: true, force: true });
});

const shaOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

describe("the tables that queries are built on are the tables that migrations make", () => {
  const schema = { ...artifactTables, ...memoryTables, ...sessionTables, ...settingsTables, ...sourceTables };
  const tables = Object.values(schema).filter((value) => is(value, SQLiteTable));

  test("every table of the database is one of them, but for the search index", () => {
    const { sqlite } = connect(dir, "write");
    const made = sqlite
      .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%' ORDER BY name")
      .pluck()
      .all() as string[];
    sqlite.close();
    expect(made.filter((name) => !name.startsWith("search"))).toEqual(
      tables.map((table) => getTableName(table)).toSorted(),
    );
  });

  test.each(tables.map((table) => [getTableName(table), table] as const))("%s", (name, table) => {
    const { sqlite } = connect(dir, "write");
    const made = sqlite.prepare(`SELECT name, type, "notnull", pk FROM pragma_table_info(?)`).all(name) as {
      name: string;
      type: string;
      notnull: number;
      pk: number;
    }[];
    sqlite.close();
    expect(made.length).toBeGreaterThan(0);
    for (const column of getTableConfig(table).columns) {
      const found = made.find((one) => one.name === column.name);
      expect(found, `${name}.${column.name}`).toBeDefined();
      expect(found!.type.toLowerCase(), `${name}.${column.name}`).toBe(column.getSQLType().toLowerCase());
      expect(found!.notnull === 1 || found!.pk > 0, `${name}.${column.name} not null`).toBe(column.notNull);
    }
    expect(Object.keys(getTableColumns(table)).toSorted()).toEqual(made.map((one) => one.name).toSorted());
  });
});

test("a new database is at the newest version, sound, and private", () => {
  const { sqlite } = connect(dir, "write");
  expect(sqlite.pragma("user_version", { simple: true })).toBe(MIGRATIONS.length);
  expect(sqlite.pragma("integrity_check", { simple: true })).toBe("ok");
  for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  sqlite.close();
  expect(existsSync(`${databasePath(dir)}.before-${MIGRATIONS.length}`)).toBe(false);
});

test("each column that names another row has an index: a deletion reads no whole table", () => {
  const { sqlite } = connect(dir, "write");
  type Given = { readonly name: string };
  const pragma = <Row>(text: string): Row[] => sqlite.pragma(text) as Row[];
  const tables = sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as Given[];
  const named = tables.flatMap(({ name }) =>
    pragma<{ readonly from: string }>(`foreign_key_list(${name})`).map(({ from }) => ({ table: name, from })),
  );
  expect(named.length).toBeGreaterThan(20);
  const without = named.filter(({ table, from }) => {
    const columns = pragma<Given & { readonly pk: number }>(`table_info(${table})`);
    const indexes = pragma<Given>(`index_list(${table})`).map(
      ({ name }) => pragma<Given>(`index_info(${name})`)[0]?.name,
    );
    return columns.find(({ pk }) => pk === 1)?.name !== from && !indexes.includes(from);
  });
  expect(without).toEqual([]);
  sqlite.close();
});

test.each(["read", "write"] as const)("a newer database is refused for %s, untouched", (mode) => {
  connect(dir, "write").sqlite.close();
  const sqlite = new Database(databasePath(dir));
  sqlite.pragma(`user_version = ${MIGRATIONS.length + 1}`);
  sqlite.pragma("wal_checkpoint(TRUNCATE)");
  sqlite.close();
  const before = shaOf(databasePath(dir));
  const files = readdirSync(dir);
  expect(() => connect(dir, mode)).toThrow(/has schema \d+; this Plimsoll knows \d+.*Update Plimsoll/);
  expect(shaOf(databasePath(dir))).toBe(before);
  // A reader of a database in WAL mode makes its two side files; they hold nothing.
  const sides = readdirSync(dir).filter((name) => !files.includes(name));
  expect(mode === "read" ? [] : sides).toEqual([]);
  for (const name of sides.filter((one) => one.endsWith("-wal"))) expect(statSync(join(dir, name)).size).toBe(0);
});

test("a migration copies the database first, and keeps every row", async () => {
  const first = connect(dir, "write").sqlite;
  first.prepare("INSERT INTO settings (key, value) VALUES ('a', 'b')").run();
  first.close();
  vi.resetModules();
  vi.doMock("./migrations.ts", () => ({ MIGRATIONS: [...MIGRATIONS, "ALTER TABLE settings ADD COLUMN note TEXT;"] }));
  const later = await import("./connection.ts");
  const { sqlite } = later.connect(dir, "write");
  expect(sqlite.prepare("SELECT key, value, note FROM settings").all()).toEqual([{ key: "a", value: "b", note: null }]);
  sqlite.close();
  const backup = `${databasePath(dir)}.before-${MIGRATIONS.length + 1}`;
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  const old = new Database(backup, { readonly: true });
  expect(old.pragma("user_version", { simple: true })).toBe(MIGRATIONS.length);
  expect(old.prepare("SELECT * FROM settings").all()).toEqual([{ key: "a", value: "b" }]);
  old.close();
});

test("a migration that fails leaves the database as it was, and can be run again", async () => {
  const first = connect(dir, "write").sqlite;
  first.prepare("INSERT INTO settings (key, value) VALUES ('a', 'b')").run();
  first.close();
  vi.resetModules();
  vi.doMock("./migrations.ts", () => ({
    MIGRATIONS: [...MIGRATIONS, "ALTER TABLE settings ADD COLUMN note TEXT; SELECT * FROM no_such_table;"],
  }));
  const broken = await import("./connection.ts");
  expect(() => broken.connect(dir, "write")).toThrow(/no such table/);
  vi.doUnmock("./migrations.ts");
  vi.resetModules();
  const { sqlite } = connect(dir, "write");
  expect(sqlite.pragma("user_version", { simple: true })).toBe(MIGRATIONS.length);
  expect(sqlite.prepare("SELECT * FROM settings").all()).toEqual([{ key: "a", value: "b" }]);
  sqlite.close();
});

test("an older database is refused for reading alone, with what to do", async () => {
  connect(dir, "write").sqlite.close();
  vi.resetModules();
  vi.doMock("./migrations.ts", () => ({ MIGRATIONS: [...MIGRATIONS, "SELECT 1;"] }));
  const later = await import("./connection.ts");
  expect(() => later.connect(dir, "read")).toThrow(/written by an older Plimsoll. Start the server once/);
});

test("a file that is no database is refused, and stays as it is", () => {
  copyFileSync(import.meta.filename, databasePath(dir));
  const before = shaOf(databasePath(dir));
  expect(() => connect(dir, "write")).toThrow(/is damaged \(SQLITE_NOTADB\)/);
  expect(shaOf(databasePath(dir))).toBe(before);
});
