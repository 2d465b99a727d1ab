// Opening the database. WAL; synchronous=FULL is set on every connection, because the default of this build
// falls back to NORMAL on every boot after the first, and WAL with NORMAL may lose acknowledged commits on power loss.
import { chmodSync, closeSync, existsSync, openSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { fail } from "#lib/kernel/errors.ts";
import { MIGRATIONS } from "./migrations.ts";
import { newDatabase } from "./new-database.ts";
import { dropRowSums, keepRowSums, registerRowHash } from "./row-sums.ts";
import { registerSessionNote, sumUnknown } from "./session-sums.ts";

export type Sqlite = Database.Database;

export type Connection = { readonly sqlite: Sqlite };

/** The oldest SQLite without the WAL-reset corruption (3.7.0 to 3.51.2). */
const OLDEST_SQLITE = [3, 51, 3] as const;

export const databasePath = (dir: string): string => join(dir, "archive.db");

/** Opens the database of an archive folder; `write` creates and migrates it. */
export function connect(dir: string, mode: "read" | "write"): Connection {
  const path = databasePath(dir);
  let isNew = false;
  if (mode === "write") isNew = createPrivate(path);
  else if (!existsSync(path)) fail("not_found", `No archive in ${dir}. Import something first: plimsoll import PATH.`);
  let sqlite: Sqlite | null = null;
  try {
    sqlite = new Database(path, { readonly: mode === "read", timeout: 5000 });
    requireSqlite(sqlite);
    sqlite.pragma("busy_timeout = 5000");
    sqlite.pragma("foreign_keys = ON");
    // A row that is replaced leaves its sum.
    sqlite.pragma("recursive_triggers = ON");
    registerRowHash(sqlite);
    registerSessionNote(sqlite);
    sqlite.pragma("cache_size = -32768");
    // What a savepoint keeps to go back to would be a file in /var/tmp, new for each write: outside of our folder, and slow.
    sqlite.pragma("temp_store = MEMORY");
    refuseNewer(sqlite, dir);
    if (mode === "write") {
      // A new database only. Bodies and raw blocks span pages: 8 KB saves half of the 50,000 reads and writes that an
      // import of 47 MB took with 4 KB, and 0.1 to 0.2 s of 1.6.
      sqlite.pragma("page_size = 8192");
      sqlite.pragma("journal_mode = WAL");
      sqlite.pragma("journal_size_limit = 67108864");
      // 64 MB: a checkpoint after each batch would write most pages of the search index again and again. Half of it, 4,096,
      // cost a twentieth of an import of 47 MB.
      sqlite.pragma("wal_autocheckpoint = 8192");
      migrate(sqlite, path);
      keepRowSums(sqlite);
      sumUnknown(sqlite);
      if (isNew && newDatabase.isCopied) newDatabase.copy ??= sqlite.serialize();
    } else if (userVersion(sqlite) < MIGRATIONS.length)
      fail("conflict", `The archive in ${dir} was written by an older Plimsoll. Start the server once to update it.`);
    sqlite.pragma("synchronous = FULL");
    if (sqlite.pragma("synchronous", { simple: true }) !== 2)
      fail("conflict", "SQLite refused synchronous=FULL. Writes would not survive a power loss.");
    return { sqlite };
  } catch (error) {
    sqlite?.close();
    refuseUnreadable(error, dir, mode);
    throw error;
  }
}

/** Says in a sentence why the database cannot be opened, where a person can do something about it. */
function refuseUnreadable(error: unknown, dir: string, mode: "read" | "write"): void {
  const code = String((error as { code?: unknown }).code ?? "");
  if (/^(SQLITE_CORRUPT|SQLITE_NOTADB)/.test(code))
    fail(
      "conflict",
      `The database of the archive in ${dir} is damaged (${code}). Run plimsoll check, then plimsoll check --rebuild.`,
      error,
    );
  // Reading a database in WAL mode takes files beside it, which a disk for reading alone refuses.
  if (mode === "read" && /^(SQLITE_CANTOPEN|SQLITE_READONLY)/.test(code))
    fail(
      "invalid",
      `The archive in ${dir} is on a read-only disk or in a folder of another user (${code}). Copy it to your own folder and use --archive DIR.`,
      error,
    );
}

/** SQLite gives its -wal and -shm files the mode of the database: it is made private before the first byte. Whether nothing is in it. */
function createPrivate(path: string): boolean {
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
  const isNew = statSync(path).size === 0;
  if (isNew && newDatabase.copy !== null) writeFileSync(path, newDatabase.copy);
  return isNew;
}

function requireSqlite(sqlite: Sqlite): void {
  const version = String(sqlite.prepare("SELECT sqlite_version()").pluck().get());
  const parts = version.split(".").map(Number);
  const newer = OLDEST_SQLITE.findIndex((part, i) => part !== (parts[i] ?? 0));
  if (newer >= 0 && (parts[newer] ?? 0) < OLDEST_SQLITE[newer]!)
    fail("unsupported", `SQLite ${version} can damage a database in WAL mode; 3.51.3 or newer is needed.`);
}

const userVersion = (sqlite: Sqlite): number => Number(sqlite.pragma("user_version", { simple: true }));

function refuseNewer(sqlite: Sqlite, dir: string): void {
  const version = userVersion(sqlite);
  if (version > MIGRATIONS.length)
    fail(
      "unsupported",
      `The archive in ${dir} has schema ${version}; this Plimsoll knows ${MIGRATIONS.length}. Update Plimsoll, or use another archive folder.`,
    );
}

/** Brings the schema up to date in one transaction, with a copy of the database beside it first. */
function migrate(sqlite: Sqlite, path: string): void {
  const from = userVersion(sqlite);
  if (from === MIGRATIONS.length) return;
  if (from > 0) {
    const backup = `${path}.before-${MIGRATIONS.length}`;
    if (!existsSync(backup)) sqlite.prepare("VACUUM INTO ?").run(backup);
    chmodSync(backup, 0o600);
  }
  sqlite
    .transaction(() => {
      dropRowSums(sqlite);
      for (const sql of MIGRATIONS.slice(from)) sqlite.exec(sql);
      sqlite.pragma(`user_version = ${MIGRATIONS.length}`);
    })
    .immediate();
}
