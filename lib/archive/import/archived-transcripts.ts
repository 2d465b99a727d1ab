// Transcripts that their agent put aside, when a session began anew or was deleted. They are read from the folders for which
// somebody asked for it, and from no other. A file that was read before and is put aside now keeps its session when it was
// reset; when it was deleted, its session leaves the archive too, unless somebody asked for deleted ones.
import { existsSync } from "node:fs";
import { command, query, scalar } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import type { Archived } from "#lib/kernel/draft.ts";
import { isInside } from "#lib/sources/source-handle.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { readSetting } from "../base/setting-rows.ts";
import { removeSource } from "./remove-source.ts";
import { findSource } from "./source-row.ts";

export const ARCHIVED_SETTING = "sources.archived";

/** Why a file lies aside, by its agent's name for it; null for one that goes on, and where no path is known. */
export function archivedAs(path: string | null): Archived | null {
  if (path === null) return null;
  for (const format of FORMATS) {
    const archived = format.archivedAs?.(path) ?? null;
    if (archived !== null) return archived;
  }
  return null;
}

/** Folders whose archived transcripts are read. */
export const archivedFolders = (archive: Archive): readonly string[] =>
  (readSetting(archive, ARCHIVED_SETTING) as readonly string[] | null) ?? [];

export const isArchivedRead = (folders: readonly string[], path: string): boolean =>
  folders.some((folder) => isInside(path, folder));

/**
 * Sessions that lists have and searches leave out: their files lie aside, and nobody asked for such files of their folder.
 */
export function unsearchedSessions(archive: Archive): number[] {
  const folders = archivedFolders(archive);
  const rows = query(
    archive.sqlite,
    { pk: "sessions.pk", path: "sources.path" },
    `SELECT s.pk, f.path FROM sources f JOIN sessions s ON s.source_pk = f.pk
       WHERE f.path LIKE '%.jsonl.reset.%' OR f.path LIKE '%.jsonl.deleted.%'`,
  ).all();
  return rows.flatMap(({ pk, path }) => (archivedAs(path) !== null && !isArchivedRead(folders, path) ? [pk] : []));
}

/** The name that a file had before it was put aside. */
const nameBefore = (path: string): string => path.replace(/(\.jsonl)\..*$/, "$1");

/**
 * Follows files that were put aside since they were read: a source goes by the new name of its file. What was deleted is taken
 * out, with all that was read from it. Returns how many sources changed.
 */
export function followArchived(archive: Archive, batch: Batch, paths: readonly string[]): number {
  const folders = archivedFolders(archive);
  const known = command(archive.sqlite, "SELECT 1 FROM sources WHERE path = ?");
  let changed = 0;
  for (const path of paths) {
    const before = nameBefore(path);
    const source = known.get(before) === undefined || existsSync(before) ? null : findSource(archive, before);
    const isTaken = known.get(path) !== undefined;
    const isLeaving = archivedAs(path) === "deleted" && !isArchivedRead(folders, path);
    if (source === null || source.earlier !== null) continue;
    batch.begin();
    changed++;
    // Its own file may have been read under the new name already: that reading stands.
    if (isLeaving || isTaken) removeSource(archive, batch, before);
    else
      command(
        archive.sqlite,
        "UPDATE sources SET path = ?, status = 'ok', reason = NULL, gone_at = NULL WHERE pk = ?",
      ).run(path, source.pk);
  }
  return changed;
}

/** Files that lie aside in a folder, as far as they were read. */
export function archivedSources(archive: Archive, folder: string): string[] {
  const rows = scalar(
    archive.sqlite,
    "sources.path",
    "FROM sources WHERE path LIKE '%.jsonl.reset.%' OR path LIKE '%.jsonl.deleted.%'",
  ).all();
  return rows.filter((path) => archivedAs(path) !== null && isInside(path, folder));
}
