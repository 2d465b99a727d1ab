// Which files an import reads: those that were named, and of folders those that a format wants. Files that an agent put aside
// are among them where somebody asked for it; the others are told of, since they may have been read under another name.
import { realpathSync, statSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { FORMATS } from "#lib/formats/index.ts";
import { discover } from "#lib/sources/discover.ts";
import type { Archive } from "../base/archive-type.ts";
import { archivedAs, archivedFolders, isArchivedRead } from "./archived-transcripts.ts";
import { removedFiles } from "./remove-source.ts";

/** `named`: a person named this very file, whatever it is called. */
export type Wanted = { path: string; roots: readonly string[]; size: number; skipped?: string; named: boolean };

export async function listFiles(
  archive: Archive,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<{ readonly wanted: Wanted[]; readonly aside: readonly string[] }> {
  const wanted: Wanted[] = [];
  const aside: string[] = [];
  const folders = archivedFolders(archive);
  const removed = removedFiles(archive);
  const wants = (path: string): boolean => FORMATS.some((format) => format.wants(path)) || archivedAs(path) !== null;
  for (const given of paths) {
    const path = resolve(given);
    const stat = statOf(path);
    if (stat === undefined)
      wanted.push({ path, roots: [], size: 0, skipped: `Nothing at ${path}. Check the path.`, named: true });
    else if (stat.isDirectory()) {
      for await (const found of discover(path, wants, signal)) {
        if (archivedAs(found.path) !== null) {
          aside.push(found.path);
          if (!isArchivedRead(folders, found.path)) continue;
        }
        if (removed.has(found.path)) continue;
        wanted.push({
          path: found.path,
          roots: [path],
          size: sizeOf(found.path),
          named: false,
          ...(found.skipped && { skipped: found.skipped }),
        });
      }
    } else wanted.push({ path, roots: [dirname(path), dirname(realpathSync(path))], size: stat.size, named: true });
  }
  // A compressed rollout beside its plain one is the same session, older.
  const plain = new Set(wanted.map((file) => file.path));
  const read = wanted.filter((file) => file.named || !file.path.endsWith(".zst") || !plain.has(file.path.slice(0, -4)));
  return { wanted: read, aside };
}

const sizeOf = (path: string): number => statOf(path)?.size ?? 0;

/** A ring of links, or a folder that may not be entered, is no reason to stop: opening the file says what is the matter. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
