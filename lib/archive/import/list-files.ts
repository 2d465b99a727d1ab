// Which files an import reads: those that were named, and of folders those that a format wants. Files that an agent put aside
// are among them where somebody asked for it; the others are told of, since they may have been read under another name.
import { existsSync, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { columns, query } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { discover } from "#lib/sources/discover.ts";
import type { Archive } from "../base/archive-type.ts";
import { archivedAs, archivedFolders, isArchivedRead } from "./archived-transcripts.ts";
import { joinEvents } from "./event-files.ts";
import { isInside } from "#lib/sources/source-handle.ts";
import { databaseOfLog } from "#lib/sources/sqlite.ts";
import { removedFiles } from "./remove-source.ts";
import { isKnownUnmatched, isLookedInto, stampOf, Unmatched } from "./unmatched.ts";

export type Wanted = {
  path: string;
  roots: readonly string[];
  size: number;
  skipped?: string;
  /** A person named this very file, whatever it is called. */
  named: boolean;
  /** The first event of a folder, which is read with all others. */
  isJoined?: true;
  /** No format wants it by its name: where its content matches none either, it is counted here, and is no source. */
  others?: Unmatched;
};

export type ListOptions = {
  /** Folders of agents: of these and what lies in them only files that a format wants by name. */
  readonly byName?: readonly string[];
  /** A watcher has them searched for new files, every minute: those that are as they were read are left out. */
  readonly isWatched?: boolean;
  readonly signal?: AbortSignal;
};

export type Listed = {
  readonly wanted: Wanted[];
  readonly aside: readonly string[];
  /** Of folders that are searched by content. */
  readonly unmatched: readonly Unmatched[];
};

export async function listFiles(
  archive: Archive,
  paths: readonly string[],
  { byName = [], isWatched = false, signal }: ListOptions = {},
): Promise<Listed> {
  const wanted: Wanted[] = [];
  const aside: string[] = [];
  const unmatched: Unmatched[] = [];
  const folders = archivedFolders(archive);
  const removed = removedFiles(archive);
  const read = isWatched ? readFiles(archive) : new Map<string, ReadFile>();
  const isPart = (path: string): boolean => FORMATS.some((format) => format.isPart?.(path) === true);
  const isRepeated = (path: string): boolean =>
    FORMATS.some((format) => {
      const other = format.repeats?.(path) ?? null;
      return other !== null && existsSync(other);
    });
  const wants = (path: string): boolean =>
    (FORMATS.some((format) => format.wants(path)) && !isPart(path) && !isRepeated(path)) || archivedAs(path) !== null;
  for (const given of paths) {
    const path = resolve(given);
    const stat = statOf(path);
    if (stat === undefined)
      wanted.push({ path, roots: [], size: 0, skipped: `Nothing at ${path}. Check the path.`, named: true });
    else if (stat.isDirectory()) {
      const others = byName.some((folder) => isInside(path, folder)) ? undefined : new Unmatched(path);
      if (others !== undefined) unmatched.push(others);
      const looked = new Map<string, Stats>();
      const known: [path: string, size: number][] = [];
      const onOther = (other: string): boolean => {
        const database = databaseOfLog(other);
        if ((database !== other && existsSync(database)) || isRepeated(other)) return false;
        const file = statOf(other);
        const mayMatch = isLookedInto(other) && file !== undefined;
        const isNew = mayMatch && !isKnownUnmatched(archive, other, stampOf(file));
        if (isNew) looked.set(other, file);
        else if (mayMatch) known.push([other, file.size]);
        else others!.add(other, file?.size ?? 0);
        return isNew;
      };
      for await (const found of discover(path, wants, signal, others && onOther)) {
        if (archivedAs(found.path) !== null) {
          aside.push(found.path);
          if (!isArchivedRead(folders, found.path)) continue;
        }
        if (removed.has(found.path)) continue;
        others?.noteRead(found.path);
        const file = statOf(found.path);
        if (file !== undefined && isAsRead(file, read.get(found.path))) continue;
        wanted.push({
          path: found.path,
          roots: [path],
          size: file?.size ?? 0,
          named: false,
          ...(found.skipped && { skipped: found.skipped }),
          ...(looked.has(found.path) && { others }),
        });
      }
      for (const [other, size] of known) others!.add(other, size);
    } else wanted.push({ path, roots: [dirname(path), dirname(realpathSync(path))], size: stat.size, named: true });
  }
  // A compressed rollout beside its plain one is the same session, older.
  const plain = new Set(wanted.map((file) => file.path));
  const isOwn = (path: string): boolean => !path.endsWith(".zst") || !plain.has(path.slice(0, -4));
  const own = wanted.filter((file) => file.named || isOwn(file.path));
  const mayRead = (path: string, named: boolean): boolean => !removed.has(path) || (named && !isWatched);
  return { wanted: joinEvents(own, mayRead), aside, unmatched };
}

type ReadFile = { readonly size: number; readonly mtimeMs: number };

/** Files that were read to their end, as they were then. To open each of 10,000 again took 1.5 s, every minute. */
const readFiles = ({ sqlite }: Archive): ReadonlyMap<string, ReadFile> =>
  new Map(
    query(
      sqlite,
      { ...columns("sources", "path", "size"), mtimeMs: "sources.mtime_ms" },
      `SELECT path, size, mtime_ms AS mtimeMs FROM sources
       WHERE status IN ('ok', 'older copy') AND earlier IS NULL AND offset >= size AND tail <> '' AND (dev IS NULL OR dev NOT IN ('rows', 'entry'))`,
    )
      .all()
      .map((row) => [row.path, row]),
  );

/** Archives round the milliseconds of a time. */
const isAsRead = (file: Stats, read: ReadFile | undefined): boolean =>
  read !== undefined && read.size === file.size && Math.abs(read.mtimeMs - file.mtimeMs) < 1;

/** A ring of links, or a folder that may not be entered, is no reason to stop: opening the file says what is the matter. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
