// Live sources: what the watcher needs to know of the archive, and what is noted when a file is gone.
import { columns, command, query } from "#db/statement.ts";
import { existsSync } from "node:fs";
import { changeSessions } from "#db/session-sums.ts";
import { watchSources, type SourceWatch, type WatchedFile } from "#lib/sources/watch.ts";
import { FORMATS } from "#lib/formats/index.ts";
import type { Archive } from "../base/archive-type.ts";
import { databaseState } from "../base/database-state.ts";
import { cached } from "../base/per-archive.ts";
import { besideStats, ownSidecars } from "../import/sidecars.ts";

const RUNNING_MS = 60_000;

export type WatchHandlers = {
  readonly roots: () => readonly string[];
  readonly onChanged: (paths: string[]) => void;
  readonly onSettled: (paths: string[]) => void;
  readonly onDiscover: (roots: readonly string[]) => void;
  readonly signal: AbortSignal;
};

export function watchArchive(archive: Archive, handlers: WatchHandlers): SourceWatch {
  return watchSources({ ...handlers, files: (which) => watchedFiles(archive, which) });
}

/** Asked for every second, and read anew only after something was written: of 10,000 sources that takes 20 ms and more. */
function* watchedFiles(archive: Archive, which?: "running"): Generator<WatchedFile> {
  const now = archive.host.now();
  for (const { file, beside } of cached(archive, "watched files", databaseState(archive), () => readFiles(archive))) {
    const running = now - file.mtimeMs < RUNNING_MS;
    if (!running && which !== undefined) continue;
    yield { ...file, running };
    for (const one of beside) yield { ...one, running, of: file };
  }
}

type File = Omit<WatchedFile, "running" | "of">;

// What no one opened (a link, a pipe) has no time: a search finds out when it became a file.
const readFiles = ({ sqlite }: Archive): { readonly file: File; readonly beside: readonly File[] }[] =>
  query(
    sqlite,
    { ...columns("sources", "path", "size", "format", "beside"), mtimeMs: "sources.mtime_ms" },
    "FROM sources WHERE earlier IS NULL AND status <> 'gone' AND NOT (status = 'skipped' AND mtime_ms = 0) AND (dev IS NULL OR dev NOT IN ('rows', 'entry'))",
  )
    .all()
    .map(({ format, beside, ...file }) => ({
      file,
      beside: beside === null ? [] : besideOf(file.path, format, beside),
    }));

/** As they were when the session was read from its beginning; one that was not there is awaited. */
function besideOf(path: string, formatId: string | null, kept: string): readonly File[] {
  const format = FORMATS.find(({ id }) => id === formatId);
  if (format === undefined) return [];
  const stats = besideStats(kept);
  return ownSidecars(format, path).map((one) => {
    const [size, mtimeMs] = stats[one] ?? [-1, 0];
    return { path: one, size, mtimeMs };
  });
}

/** The file itself, and what was read out of a database or an archive: "$" follows "#". */
const IS_OF_FILE = "(path = @path OR (path > @path || '#' AND path < @path || '$' AND dev IN ('rows', 'entry')))";

/** Notes which of these files are no longer there; what was read from them stays. Returns the others. */
export function noteGone(archive: Archive, paths: readonly string[]): string[] {
  const gone = paths.filter((path) => !existsSync(path));
  if (gone.length > 0) {
    const note = command(
      archive.sqlite,
      `UPDATE sources SET status = 'gone', gone_at = @now, reason = 'The file was deleted. Everything that was read from it is kept.' WHERE ${IS_OF_FILE} AND status = 'ok'`,
    );
    const touch = command(
      archive.sqlite,
      `UPDATE sessions SET version = version + 1 WHERE source_pk IN (SELECT pk FROM sources WHERE ${IS_OF_FILE})`,
    );
    changeSessions(archive.sqlite, () => {
      for (const path of gone) {
        note.run({ now: archive.host.now(), path });
        touch.run({ path });
      }
    });
  }
  return paths.filter((path) => !gone.includes(path));
}
