// The search index, in a file of its own: it is made of the archive and can be made again, so it needs no barrier to the disk,
// and neither an import nor a copy of the archive waits for it. `docs` has a row for each place that can be found; `words` is
// its full text without the text itself. Words are stemmed (porter); `parts` has the words of identifiers, `file` the paths.
import { chmodSync, closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Sqlite } from "./connection.ts";

/** Another number makes an existing index anew. */
const VERSION = 6;

export const searchPath = (dir: string): string => join(dir, "search.db");

const TOKENIZE = "tokenize='porter unicode61 remove_diacritics 2'";

// `seq` is the event, or the key of a memory item. `piece` 0 is the event's own text; from 1 on it is stored output.
const SCHEMA = `
CREATE TABLE docs (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  tool INTEGER NOT NULL,
  ts INTEGER,
  tokens INTEGER NOT NULL,
  flags INTEGER NOT NULL
);
CREATE INDEX docs_session ON docs(session, seq);
CREATE TABLE tools (pk INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE indexed (
  session INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  next_seq INTEGER NOT NULL,
  events TEXT NOT NULL,
  memory TEXT NOT NULL
);
CREATE TABLE made (session INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL);
CREATE INDEX made_session ON made(session);
CREATE VIRTUAL TABLE words USING fts5(text, parts, file, content='', contentless_delete=1, prefix='1 2 3', ${TOKENIZE});
`;

/** Opens the index; for reading, null where there is none yet. A damaged or older one is made anew by who writes. */
export function openSearch(dir: string, mode: "read" | "write"): Sqlite | null {
  const path = searchPath(dir);
  if (mode === "read") return existsSync(path) ? readIndex(path) : null;
  createPrivate(path);
  const index = writeIndex(path);
  if (index !== null) return index;
  removeIndex(path);
  createPrivate(path);
  return writeIndex(path);
}

/** SQLite gives its -wal and -shm files the mode of the database. */
function createPrivate(path: string): void {
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
}

function readIndex(path: string): Sqlite | null {
  let sqlite: Sqlite | null = null;
  try {
    sqlite = new Database(path, { readonly: true, timeout: 5000 });
    if (versionOf(sqlite) === VERSION) return sqlite;
  } catch (error) {
    if (!isUnusable(error)) throw error;
  }
  sqlite?.close();
  return null;
}

function writeIndex(path: string): Sqlite | null {
  let sqlite: Sqlite | null = null;
  try {
    sqlite = new Database(path, { timeout: 5000 });
    if (versionOf(sqlite) === 0) sqlite.pragma("page_size = 8192");
    sqlite.pragma("journal_mode = WAL");
    sqlite.pragma("synchronous = NORMAL");
    sqlite.pragma("journal_size_limit = 67108864");
    sqlite.pragma("cache_size = -32768");
    if (versionOf(sqlite) === 0) createSchema(sqlite);
    if (versionOf(sqlite) === VERSION) return sqlite;
  } catch (error) {
    if (!isUnusable(error)) {
      sqlite?.close();
      throw error;
    }
  }
  sqlite?.close();
  return null;
}

const createSchema = (sqlite: Sqlite): void =>
  sqlite
    .transaction(() => {
      if (versionOf(sqlite) !== 0) return;
      sqlite.exec(SCHEMA);
      sqlite.pragma(`user_version = ${VERSION}`);
    })
    .immediate();

export const removeIndex = (path: string): void => {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
};

const versionOf = (sqlite: Sqlite): number => Number(sqlite.pragma("user_version", { simple: true }));

const isUnusable = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB|CANTOPEN)/.test(String((error as { code?: unknown }).code ?? ""));

/** A table in memory with the index's own tokenizer: what it marks in a text is what was found. */
export function openMarker(): Sqlite {
  const sqlite = new Database(":memory:");
  sqlite.exec(`CREATE VIRTUAL TABLE words USING fts5(text, parts, file, ${TOKENIZE})`);
  return sqlite;
}
