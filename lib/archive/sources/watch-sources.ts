// Live sources: what the watcher needs to know of the archive, and what is noted when a file is gone.
import { columns, command, query } from "#db/statement.ts";
import { existsSync } from "node:fs";
import { changeSessions } from "#db/session-sums.ts";
import { watchSources, type SourceWatch, type WatchedFile } from "#lib/sources/watch.ts";
import type { Archive } from "../base/archive-type.ts";

const RUNNING_MS = 60_000;

export type WatchHandlers = {
  readonly roots: () => readonly string[];
  readonly onChanged: (paths: string[]) => void;
  readonly onSettled: (paths: string[]) => void;
  readonly onDiscover: (root: string) => void;
  readonly signal: AbortSignal;
};

export function watchArchive(archive: Archive, handlers: WatchHandlers): SourceWatch {
  return watchSources({ ...handlers, files: () => watchedFiles(archive) });
}

function watchedFiles(archive: Archive): WatchedFile[] {
  const now = archive.host.now();
  // What no one opened (a link, a pipe) has no time: a search finds out when it became a file.
  const rows = query(
    archive.sqlite,
    { ...columns("sources", "path", "size"), mtimeMs: "sources.mtime_ms" },
    "FROM sources WHERE earlier IS NULL AND status <> 'gone' AND NOT (status = 'skipped' AND mtime_ms = 0) AND (dev IS NULL OR dev NOT IN ('rows', 'entry'))",
  ).all();
  return rows.map((row) => ({ ...row, running: now - row.mtimeMs < RUNNING_MS }));
}

/** Notes which of these files are no longer there; what was read from them stays. Returns the others. */
export function noteGone(archive: Archive, paths: readonly string[]): string[] {
  const gone = paths.filter((path) => !existsSync(path));
  if (gone.length > 0) {
    const note = command(
      archive.sqlite,
      "UPDATE sources SET status = 'gone', gone_at = ?, reason = 'The file was deleted. Everything that was read from it is kept.' WHERE path = ? AND status = 'ok'",
    );
    const touch = command(
      archive.sqlite,
      "UPDATE sessions SET version = version + 1 WHERE source_pk = (SELECT pk FROM sources WHERE path = ?)",
    );
    changeSessions(archive.sqlite, () => {
      for (const path of gone) {
        note.run(archive.host.now(), path);
        touch.run(path);
      }
    });
  }
  return paths.filter((path) => !gone.includes(path));
}
