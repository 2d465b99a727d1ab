// Whether transcripts that their agent put aside are read from a folder. Off until somebody asks for it.
import { resolve } from "node:path";
import { changeSessions } from "#db/session-sums.ts";
import { command } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting } from "../base/setting-rows.ts";
import { defineWrite, write } from "../base/write.ts";
import {
  ARCHIVED_SETTING,
  archivedAs,
  archivedFolders,
  archivedSources,
  isArchivedRead,
} from "../import/archived-transcripts.ts";
import { removeSource } from "../import/remove-source.ts";

export type ArchivedOption = { readonly path: string; readonly on: boolean };

/** Reads archived transcripts of a folder from now on, or no longer: then deleted ones leave the archive. */
export const saveArchivedOption = (archive: Archive, { path, on }: ArchivedOption): Promise<ArchivedOption> =>
  write(archive, saveArchivedWrite, { path: resolve(path), on });

function keepOption(archive: Archive, batch: Batch, { path, on }: ArchivedOption): ArchivedOption {
  const others = archivedFolders(archive).filter((folder) => folder !== path);
  const folders = on ? [...others, path].toSorted() : others;
  putSetting(archive, ARCHIVED_SETTING, folders.length === 0 ? null : folders);
  const known = archivedSources(archive, path);
  if (!on)
    for (const one of known)
      if (archivedAs(one) === "deleted" && !isArchivedRead(folders, one)) removeSource(archive, batch, one);
  // Lists and searches say something else of them now.
  const touch = command(
    archive.sqlite,
    "UPDATE sessions SET version = version + 1 WHERE source_pk = (SELECT pk FROM sources WHERE path = ?)",
  );
  changeSessions(archive.sqlite, () => known.forEach((one) => touch.run(one)));
  return { path, on };
}

export const saveArchivedWrite = defineWrite("saveArchivedOption", keepOption);
