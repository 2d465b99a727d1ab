// What is known of a source file: how far it was read, and in which state its parser stands.
import type { Rows } from "#db/schema.ts";
import { command, query, scalar } from "#db/statement.ts";
import type { Seen } from "#lib/sources/fingerprint.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { ImportedFile } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";

export type SourceStatus = Rows["sources"]["status"];

export type SourceRow = {
  readonly pk: number;
  readonly path: string;
  /** Its records stand in another file: it has no sessions, whatever became of it since. */
  isOlder: boolean;
  format: string | null;
  /** The version of the format that read what is there. */
  formatVersion: number;
  status: SourceStatus;
  seen: Seen | null;
  /** When the file was written, as it was read. */
  readonly mtimeMs: number;
  line: number;
  state: string | null;
  nativeId: string | null;
  records: number;
  problems: number;
  /** Where a last line begins that was cut off, when it was read as final. */
  cutTail: number | null;
  /** Number of the earlier version that it is; null for a file. */
  readonly earlier: number | null;
  /** An earlier version without the records that the file still holds. */
  readonly isPart: boolean;
  /** Why it was not read to its end: a limit was met. */
  stopped: string | null;
  /** How the files beside it were when it was read from its beginning: sidecars.ts. */
  beside: string | null;
};

/** The native id of an earlier version's session. */
export const earlierName = (nativeId: string, earlier: number): string => `${nativeId}~earlier${earlier}`;

export function findSource(archive: Archive, path: string): SourceRow | null {
  const row = query(archive.sqlite, { "*": "sources.*" }, "FROM sources WHERE path = ?").get(path);
  if (row === undefined) return null;
  const seen: Seen | null =
    row.head === null
      ? null
      : {
          dev: row.dev!,
          ino: row.ino!,
          size: row.size,
          offset: row.offset,
          head: row.head,
          headBytes: row.head_bytes,
          tail: row.tail!,
        };
  return {
    pk: row.pk,
    path,
    isOlder: row.older_of !== null,
    format: row.format,
    formatVersion: row.format_version,
    status: row.status,
    seen,
    mtimeMs: row.mtime_ms,
    line: row.line,
    state: row.state,
    nativeId: row.native_id,
    records: row.records,
    problems: row.problems,
    cutTail: row.cut_tail,
    earlier: row.earlier,
    isPart: row.is_part === 1,
    stopped: row.stopped,
    beside: row.beside,
  };
}

export function addSource(archive: Archive, path: string): SourceRow {
  command(archive.sqlite, "INSERT INTO sources (path, status) VALUES (?, 'ok')").run(path);
  return findSource(archive, path)!;
}

export function saveSource(archive: Archive, source: SourceRow, handle: SourceHandle, now: number): void {
  const { seen } = source;
  // Not in the same UPDATE: one that sets a foreign key opens a savepoint, for which the search index writes out what it
  // holds. That was a twentieth of an import.
  if (source.isOlder) command(archive.sqlite, "UPDATE sources SET older_of = NULL WHERE pk = ?").run(source.pk);
  source.isOlder = false;
  command(
    archive.sqlite,
    `UPDATE sources SET format = ?, format_version = ?, status = ?, reason = NULL, dev = ?, ino = ?, size = ?, mtime_ms = ?, offset = ?, line = ?,
         head = ?, head_bytes = ?, tail = ?, state = ?, native_id = ?, records = ?, problems = ?, cut_tail = ?, stopped = ?, beside = ?, imported_at = ?, changed_at = ?, gone_at = NULL WHERE pk = ?`,
  ).run(
    source.format,
    source.formatVersion,
    source.status,
    handle.dev,
    handle.ino,
    seen?.size ?? handle.size,
    handle.mtimeMs,
    seen?.offset ?? 0,
    source.line,
    seen?.head ?? null,
    seen?.headBytes ?? 0,
    seen?.tail ?? null,
    source.state,
    source.nativeId,
    source.records,
    source.problems,
    source.cutTail,
    source.stopped,
    source.beside,
    now,
    Math.round(handle.mtimeMs),
    source.pk,
  );
}

/** Notes that a file was not read, and why. What was imported from it before stays. */
export function noteUnread(
  archive: Archive,
  path: string,
  status: "failed" | "skipped",
  reason: string,
  file: { readonly size: number; readonly mtimeMs: number } = { size: 0, mtimeMs: 0 },
): void {
  command(
    archive.sqlite,
    `INSERT INTO sources (path, status, reason, size, mtime_ms, changed_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (path) DO UPDATE SET status = excluded.status, reason = excluded.reason, size = excluded.size, mtime_ms = excluded.mtime_ms`,
  ).run(path, status, reason, file.size, file.mtimeMs, archive.host.now());
}

/** What its first record looks like, by which its format was chosen. */
export const noteFound = (archive: Archive, pk: number, shape: string): void =>
  void command(archive.sqlite, "UPDATE sources SET found = ? WHERE pk = ?").run(shape, pk);

/** A file that was gone, or could not be read, is there again as it was. */
export function noteBack(archive: Archive, pk: number): void {
  const { sqlite } = archive;
  command(
    sqlite,
    `UPDATE sources SET gone_at = NULL, status = iif(older_of IS NULL, 'ok', 'older copy'), reason = iif(older_of IS NULL, NULL, reason) WHERE pk = ?`,
  ).run(pk);
  command(sqlite, "UPDATE sessions SET version = version + 1 WHERE source_pk = ?").run(pk);
}

/** Rows were touched, and are what they were. */
export function noteStamp(archive: Archive, pk: number, { ino, mtimeMs }: SourceHandle): void {
  command(archive.sqlite, "UPDATE sources SET ino = ?, mtime_ms = ? WHERE pk = ?").run(ino, mtimeMs, pk);
}

/** A file that was stopped at a limit has changed its size, and is read no further. */
export function noteSize(
  archive: Archive,
  pk: number,
  file: { readonly size: number; readonly mtimeMs: number },
): void {
  command(archive.sqlite, "UPDATE sources SET size = ?, mtime_ms = ? WHERE pk = ?").run(file.size, file.mtimeMs, pk);
}

export type Problem = ImportedFile["errors"][number];

/** Keeps a problem with its position. Past the limit they are counted only, and the count says so. */
export function noteProblem(archive: Archive, source: SourceRow, problem: Problem): void {
  source.problems++;
  if (source.problems > LIMITS.importProblems) return;
  command(
    archive.sqlite,
    "INSERT INTO import_errors (source_pk, line, byte_start, byte_end, reason) VALUES (?, ?, ?, ?, ?)",
  ).run(source.pk, problem.line, problem.byteStart, problem.byteEnd, problem.reason);
}

export function sessionIds(archive: Archive, sourcePk: number): string[] {
  return scalar(archive.sqlite, "sessions.id", "FROM sessions WHERE source_pk = ? ORDER BY pk").all(sourcePk);
}
