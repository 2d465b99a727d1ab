// A database that holds many sessions, among the files of an import: it becomes a source for each session whose rows changed. Its own
// row says only how it was found, so that a watcher sees it change.
import { closeSync, lstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { command, select } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { Format } from "#lib/kernel/draft.ts";
import { readBlocks } from "#lib/sources/blocks.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import { databaseStat, isDatabaseName, openSnapshot, rowsPath, type Snapshot } from "#lib/sources/sqlite.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { rawHandle } from "./raw-handle.ts";
import { removedFiles } from "./remove-source.ts";
import { noteUnread } from "./source-row.ts";

export type SessionRows = { readonly path: string; readonly size: number; open(final: boolean): SourceHandle };

export type Expanded = {
  /** Sessions whose rows are not those that were read. */
  readonly sessions: readonly SessionRows[];
  /** Why nothing of it is read; null when it was opened. */
  readonly reason: string | null;
  readonly snapshot: Snapshot | null;
};

/** Where copies lie while they are read. */
export const copiesFolder = (archive: Pick<Archive, "dir">): string => join(archive.dir, "copies");

/** What a folder's search takes is wanted by a format; who names a database of another name asks for its tables. */
export const isDatabasePath = (path: string): boolean => isDatabaseName(path);

const MAGIC = Buffer.from("SQLite format 3\0");

/** True for a file that begins as a database does, whatever its name is. */
export function isSqlite(path: string): boolean {
  const bytes = Buffer.alloc(MAGIC.length);
  let fd: number | null = null;
  try {
    if (!lstatSync(path).isFile()) return false;
    fd = openSync(path, "r");
    return readSync(fd, bytes, 0, bytes.length, 0) === bytes.length && bytes.equals(MAGIC);
  } catch {
    // Opening it as a source says what is the matter.
    return false;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

export async function expandDatabase(
  archive: Archive,
  batch: Batch,
  path: string,
  roots: readonly string[],
  /** False for one that no format wants by its name: where its tables are not known, nothing is noted of it. */
  notes = true,
): Promise<Expanded> {
  const stat = databaseStat(path);
  const unread = (status: "failed" | "skipped", reason: string, snapshot: Snapshot | null = null): Expanded => {
    if (notes) {
      batch.begin();
      noteUnread(archive, path, status, reason, stat ?? undefined);
    }
    return { sessions: [], reason, snapshot };
  };
  if (stat === null) return unread("failed", `No file ${path}. It was moved or deleted.`);
  if (stat.size === 0) return unread("skipped", "The file is empty.");
  let snapshot: Snapshot;
  try {
    snapshot = await openSnapshot(path, roots, copiesFolder(archive));
  } catch (error) {
    if (!isAppError(error)) throw error;
    return unread("failed", error.message);
  }
  const formats = FORMATS.filter(({ database }) => database !== undefined);
  const found = formats.map((format) => ({ format, queries: format.database!.queries(snapshot.tables) }));
  // One that knows its tables goes before one that only knows their names.
  const known =
    found.find(({ queries }) => typeof queries === "object" && queries !== null) ??
    found.find(({ queries }) => queries !== null);
  if (known === undefined || known.queries === null)
    return unread(
      "skipped",
      `No table of it is known. Known: ${formats.map(({ label }) => label).join(", ")}.`,
      snapshot,
    );
  const { format, queries } = known;
  if (typeof queries === "string")
    return unread("failed", `${queries} This version of ${format.label} is not known. Update Plimsoll.`, snapshot);
  const all = snapshot.sessions(queries);
  if (all.length === 0) return unread("skipped", "It has no sessions yet.", snapshot);
  const removed = removedFiles(archive);
  const read = new Map(
    select(archive.sqlite, "sources", ["path", "ino", "format_version", "status"], "WHERE substr(path, 1, ?) = ?")
      .all(path.length + 1, `${path}#`)
      .map((row) => [row.path, row] as const),
  );
  batch.begin();
  noteDatabase(archive, path, format, stat);
  const sessions = all.flatMap((session): SessionRows[] => {
    const own = rowsPath(path, session.id);
    const before = read.get(own);
    read.delete(own);
    if (removed.has(own) || (before?.ino === session.stamp && before.status === "ok")) return [];
    const open = (final: boolean): SourceHandle => snapshot.open(own, session, queries, format.database!, final);
    return [{ path: own, size: 0, open }];
  });
  for (const gone of read.keys()) noteGoneRows(archive, gone);
  return { sessions, reason: null, snapshot };
}

function noteDatabase(
  archive: Archive,
  path: string,
  format: Format,
  { size, mtimeMs }: { readonly size: number; readonly mtimeMs: number },
): void {
  const now = archive.host.now();
  command(
    archive.sqlite,
    `INSERT INTO sources (path, format, format_version, status, size, mtime_ms, imported_at, changed_at) VALUES (?, ?, ?, 'ok', ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET format = excluded.format, status = 'ok', reason = NULL, gone_at = NULL, size = excluded.size,
         mtime_ms = excluded.mtime_ms, imported_at = excluded.imported_at, changed_at = excluded.changed_at`,
  ).run(path, format.id, format.version, size, mtimeMs, now, Math.round(mtimeMs));
}

function noteGoneRows({ sqlite, host }: Archive, path: string): void {
  const note = command(
    sqlite,
    "UPDATE sources SET status = 'gone', gone_at = ?, reason = 'The session is no longer in its database. What was read is kept.' WHERE path = ? AND status = 'ok'",
  );
  if (note.run(host.now(), path).changes === 0) return;
  command(
    sqlite,
    "UPDATE sessions SET version = version + 1 WHERE source_pk = (SELECT pk FROM sources WHERE path = ?)",
  ).run(path);
}

/** True when rows were taken out of the database: those that were edited stand there still. */
export async function losesRows(archive: Archive, sourcePk: number, handle: SourceHandle): Promise<boolean> {
  const left = new Set<string>();
  for await (const key of rowKeys(rawHandle(archive, sourcePk))) left.add(key);
  for await (const key of rowKeys(handle)) left.delete(key);
  return left.size > 0;
}

/** The beginning of a line: its table and the id of its row. */
const KEY = /^\{"table":"[^"]*","row":\{"id":"[^"]*"/;

async function* rowKeys(handle: SourceHandle): AsyncGenerator<string> {
  for await (const block of readBlocks(handle, { from: 0, line: 1, final: true })) {
    for (const { bytes } of block.records) {
      const key = KEY.exec(Buffer.from(bytes.subarray(0, 400)).toString("utf8"))?.[0];
      if (key !== undefined) yield key;
    }
    block.release?.();
  }
}
