// A database that an agent writes, read without touching it: its file and its log are copied, and the copy is opened. So there is no
// lock and no write beside the agent, whatever it is doing; the copy is deleted when the reading ends, and holds what nobody else
// may read as long. A copy that was made while the agent moved its log into the file is made again.
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { zstdDecompressSync } from "node:zlib";
import Database from "better-sqlite3";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { DatabaseQueries, DatabaseReader, RecordRows, Row, Tables } from "#lib/kernel/draft.ts";
import { rowsHandle } from "./rows-handle.ts";
import { openSource, type SourceHandle } from "./source-handle.ts";

export type RowSession = { readonly id: string; readonly stamp: string; readonly changedMs: number };

export type Snapshot = {
  readonly tables: Tables;
  sessions(queries: DatabaseQueries): RowSession[];
  /** The rows of a session as a source. One that is still written waits, unless `final`. */
  open(
    path: string,
    session: RowSession,
    queries: DatabaseQueries,
    reader: DatabaseReader,
    final: boolean,
  ): SourceHandle;
  close(): void;
};

const TRIES = 6;
const PAUSE_MS = 150;
const PIECE_BYTES = 4 * 1024 * 1024;
/** Larger ones would fill the disk of the archive. */
const COPIED_BYTES = 8 * 1024 * 1024 * 1024;
const LOGS = ["-wal", "-journal"] as const;

/** The path of a session inside a database: no file has it. */
export const rowsPath = (database: string, sessionId: string): string => `${database}#${sessionId}`;

/** The database of such a path; null for the path of a file. */
export const databaseOf = (path: string): string | null => {
  const database = /^(.*)#[^#/\\]+$/s.exec(path)?.[1];
  return database !== undefined && isDatabaseName(database) ? database : null;
};

/** Names that agents give to their databases. */
const DATABASE = /\.(?:db|sqlite|sqlite3|vscdb)$/;
export const isDatabaseName = (path: string): boolean => DATABASE.test(path);

/** The database whose log this file is; any other path as it is. */
export const databaseOfLog = (path: string): string => {
  const database = path.replace(/-(?:wal|journal|shm)$/, "");
  return isDatabaseName(database) ? database : path;
};

/** Size and time of a database with its log; what a watcher compares. */
export function databaseStat(path: string): { readonly size: number; readonly mtimeMs: number } | null {
  const found = [path, `${path}-wal`].flatMap((one) => lstatSync(one, { throwIfNoEntry: false }) ?? []);
  if (!existsSync(path)) return null;
  return {
    size: found.reduce((sum, { size }) => sum + size, 0),
    mtimeMs: Math.max(...found.map(({ mtimeMs }) => mtimeMs)),
  };
}

/** A copy below `folder`, opened. Refuses what is no database, damaged, or no file inside the roots. */
export async function openSnapshot(path: string, roots: readonly string[], folder: string): Promise<Snapshot> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeStale(folder);
  const dir = mkdtempSync(join(folder, "db-"));
  let sqlite: Database.Database | null = null;
  const close = (): void => {
    sqlite?.close();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const copy = join(dir, "copy.db");
    for (let tries = 1; !(await copied(path, roots, copy)); tries++) {
      if (tries === TRIES)
        fail("conflict", `${path} changed each time it was copied. It is read again when its agent pauses.`);
      await setTimeout(PAUSE_MS);
    }
    sqlite = new Database(copy);
    sqlite.function("zstd_text", { deterministic: true }, zstdText);
    return { ...snapshotOf(sqlite, dir), close };
  } catch (error) {
    close();
    throw refusal(path, error);
  }
}

const ZSTD_MAGIC = 0xfd2fb528;

/** For queries: the text of a column that may be packed; null where it cannot be unpacked. */
function zstdText(value: unknown): string | null {
  if (!Buffer.isBuffer(value)) return typeof value === "string" ? value : null;
  if (value.length < 4 || value.readUInt32LE(0) !== ZSTD_MAGIC) return value.toString("utf8");
  try {
    return zstdDecompressSync(value, { maxOutputLength: LIMITS.lineBytes }).toString("utf8");
  } catch {
    return null;
  }
}

/** A process that was ended leaves its copy; no reading takes as long. */
const STALE_MS = 6 * 3_600_000;

function removeStale(folder: string): void {
  for (const name of readdirSync(folder)) {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > STALE_MS)
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function refusal(path: string, error: unknown): unknown {
  const code = String((error as { code?: unknown } | null)?.code);
  if (isAppError(error) || !/^SQLITE_/.test(code)) return error;
  const reason = /CORRUPT|NOTADB/.test(code) ? "is damaged" : "cannot be opened";
  try {
    fail("invalid", `${path} ${reason} (${code}: ${(error as Error).message}). What was read before is kept.`);
  } catch (told) {
    return told;
  }
}

/** False when the file was written meanwhile: then its pages and its log are of two times. */
async function copied(path: string, roots: readonly string[], copy: string): Promise<boolean> {
  for (const log of LOGS) rmSync(copy + log, { force: true });
  const main = await openSource(path, roots);
  try {
    if (main.size > COPIED_BYTES)
      fail("too_large", `${path} has ${main.size} bytes; databases of up to ${COPIED_BYTES} bytes are read.`);
    await writeCopy(main, copy);
    const logs: (Buffer | null)[] = [];
    for (const log of LOGS) logs.push(await copyLog(path + log, roots, copy + log));
    const after = await openSource(path, roots);
    await after.close();
    if (after.ino !== main.ino || after.size !== main.size || after.mtimeMs !== main.mtimeMs) return false;
    for (const [i, log] of LOGS.entries())
      if (!isSameStart(await startOf(path + log, roots), logs[i] ?? null)) return false;
    return true;
  } finally {
    await main.close();
  }
}

/** A log that began anew has another start. One that grew holds what was not committed when it was copied. */
const isSameStart = (now: Buffer | null, then: Buffer | null): boolean =>
  now === null || then === null ? now === then : now.equals(then);

const START_BYTES = 32;

async function startOf(path: string, roots: readonly string[]): Promise<Buffer | null> {
  const handle = await openSource(path, roots).catch(absent);
  if (handle === null) return null;
  const start = Buffer.from(await handle.read(0, START_BYTES));
  await handle.close();
  return start;
}

async function copyLog(path: string, roots: readonly string[], to: string): Promise<Buffer | null> {
  const handle = await openSource(path, roots).catch(absent);
  if (handle === null) return null;
  try {
    // Before it is copied: where it begins anew meanwhile, the copy has pages of two times.
    const start = Buffer.from(await handle.read(0, START_BYTES));
    await writeCopy(handle, to);
    return start;
  } finally {
    await handle.close();
  }
}

function absent(error: unknown): null {
  if (isAppError(error) && error.code === "not_found") return null;
  throw error;
}

async function writeCopy(from: SourceHandle, to: string): Promise<void> {
  const fd = openSync(to, "w", 0o600);
  try {
    for (let at = 0; at < from.size;) {
      const bytes = await from.read(at, Math.min(PIECE_BYTES, from.size - at));
      if (bytes.length === 0) break;
      writeSync(fd, bytes);
      at += bytes.length;
      await setTimeout(0);
    }
  } finally {
    closeSync(fd);
  }
}

function snapshotOf(sqlite: Database.Database, dir: string): Omit<Snapshot, "close"> {
  const names = sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  const columns = sqlite.prepare("SELECT name FROM pragma_table_info(?)").pluck();
  const tables = new Map(names.map((name) => [name, columns.all(name) as string[]]));
  let made = 0;
  return {
    tables,
    sessions: ({ sessions, functions = {} }) => {
      for (const [name, run] of Object.entries(functions)) sqlite.function(name, { deterministic: true }, run);
      return (sqlite.prepare(sessions).all() as Row[]).flatMap(({ id, stamp, changed }) =>
        typeof id === "string" && /^[^#/\\\0]{1,200}$/.test(id)
          ? [{ id, stamp: String(stamp), changedMs: Number(changed) || 0 }]
          : [],
      );
    },
    open: (path, session, queries, reader, final) => {
      const file = join(dir, `rows-${++made}.jsonl`);
      const isHeld = writeRows(sqlite, session.id, queries, reader, { file, final });
      // What waits is asked for again, though no row changes.
      return rowsHandle(path, file, { ...session, stamp: isHeld ? `${session.stamp} open` : session.stamp });
    },
  };
}

/** One line a row. True when the last one waits. */
function writeRows(
  sqlite: Database.Database,
  sessionId: string,
  { records }: DatabaseQueries,
  reader: DatabaseReader,
  { file, final }: { readonly file: string; readonly final: boolean },
): boolean {
  const fd = openSync(file, "w", 0o600);
  let held: string[] = [];
  let heldChars = 0;
  const flush = (): void => {
    if (held.length > 0) writeSync(fd, held.join(""));
    held = [];
    heldChars = 0;
  };
  const add = (table: string, row: Row): void => {
    const line = lineOf(table, row);
    held.push(line);
    heldChars += line.length;
    if (heldChars > PIECE_BYTES) flush();
  };
  const addAll = ({ table, sql, children }: RecordRows, id: unknown): boolean => {
    const rows = sqlite.prepare(sql);
    const below = (row: Row): void => {
      add(table, row);
      if (children !== undefined) addAll(children, row["id"]);
    };
    let last: Row | null = null;
    for (const row of rows.iterate(id) as Iterable<Row>) {
      if (last !== null) below(last);
      last = row;
    }
    if (last === null) return false;
    if (!final && reader.isOpen(table, valuesOf(last))) return true;
    below(last);
    return false;
  };
  try {
    const isHeld = records.some((one) => addAll(one, sessionId));
    flush();
    return isHeld;
  } finally {
    closeSync(fd);
  }
}

const lineOf = (table: string, row: Row): string => `${JSON.stringify({ table, row: valuesOf(row) })}\n`;

/** Columns as JSON: texts that are objects or lists stand as such, bytes as base64. */
function valuesOf(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, valueOf(value)]));
}

function valueOf(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return { base64: value.toString("base64") };
  if (typeof value !== "string" || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
