// The files of a folder that no session format matches: counted by their endings, the first ones by name. Ordinary folders have
// thousands of them, so they are no sources. One that was looked into is looked into again when its size or time is another.
import { command, query } from "#db/statement.ts";
import { basename, relative } from "node:path";
import type { UnmatchedFolder } from "#lib/wire/sources-schema.ts";
import { FORMATS } from "#lib/formats/index.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";

/** Files with these endings are looked into; others are only counted. */
const LOOKED_INTO = /\.(?:jsonl?|ndjson|eval|traj|log|txt|zip|t?gz|zst|tar|db|sqlite3?|vscdb)$|(?:^|[\\/])[^.\\/]+$/i;
/** What lies there belongs to other programs, by the ten thousand. */
const NOT_LOOKED_INTO = /[\\/](?:\.git|node_modules)[\\/]/;
const NAMES = 3;
const ENDINGS = 30;
const ENDING_CHARS = 12;

type Group = { ending: string; files: number; bytes: number; names: string[] };

/** Size and time of files that were looked into without a match, by path; for as long as the archive is open. */
const known = new WeakMap<Archive, Map<string, string>>();

export const stampOf = (file: { readonly size: number; readonly mtimeMs: number }): string =>
  `${file.size}:${file.mtimeMs}`;

export const isLookedInto = (path: string): boolean => LOOKED_INTO.test(path) && !NOT_LOOKED_INTO.test(path);

export const isKnownUnmatched = (archive: Archive, path: string, stamp: string): boolean =>
  known.get(archive)?.get(path) === stamp;

export function noteUnmatched(archive: Archive, path: string, stamp: string): void {
  const paths = known.get(archive) ?? new Map<string, string>();
  known.set(archive, paths.set(path, stamp));
}

/** Counts the files of one folder that no format matches. */
export class Unmatched {
  readonly folder: string;
  readonly #groups = new Map<string, Group>();
  /** Those that were looked into: an import that is tried again meets them twice. */
  readonly #lookedInto = new Set<string>();
  /** Files beside those that are read, which say more of these: they match no format by themselves, and are not unmatched. */
  readonly #beside = new Set<string>();
  #files = 0;
  #bytes = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  addLookedInto(path: string, bytes: number): void {
    if (this.#lookedInto.has(path)) return;
    this.#lookedInto.add(path);
    this.add(path, bytes);
  }

  /** A file of the folder that is read. What is beside it has to be added later. */
  noteRead(path: string): void {
    for (const format of FORMATS)
      if (format.sidecars !== undefined && format.wants(path))
        for (const beside of format.sidecars(path)) this.#beside.add(beside);
  }

  add(path: string, bytes: number): void {
    if (this.#beside.has(path)) return;
    this.#files++;
    this.#bytes += bytes;
    const ending = endingOf(path);
    const key = this.#groups.has(ending) || this.#groups.size < ENDINGS ? ending : "…";
    const group = this.#groups.get(key) ?? { ending: key, files: 0, bytes: 0, names: [] };
    this.#groups.set(key, group);
    group.files++;
    group.bytes += bytes;
    // A walk comes to a folder's files from the end.
    const name = path.startsWith(`${this.folder}#`) ? path.slice(this.folder.length + 1) : relative(this.folder, path);
    if (group.names.length < NAMES || name < group.names.at(-1)!)
      group.names = [...group.names, name].toSorted().slice(0, NAMES);
  }

  /** The largest groups first. */
  get result(): UnmatchedFolder {
    const groups = [...this.#groups.values()].toSorted((a, b) => b.files - a.files || (a.ending < b.ending ? -1 : 1));
    return { path: this.folder, files: this.#files, bytes: this.#bytes, groups };
  }
}

function endingOf(path: string): string {
  const name = basename(path);
  const at = name.lastIndexOf(".");
  const ending = at <= 0 ? "" : name.slice(at).toLowerCase();
  return ending.length > ENDING_CHARS ? "…" : ending;
}

/** Keeps what a search found, until the next search of the folder. */
export function saveUnmatched(archive: Archive, batch: Batch, { path, files, bytes, groups }: UnmatchedFolder): void {
  const { sqlite } = archive;
  const text = JSON.stringify(groups);
  const before = command(sqlite, "SELECT 1 FROM unmatched_folders WHERE path = ? AND groups = ?");
  if (before.get(path, text) !== undefined) return;
  batch.begin();
  if (files === 0) command(sqlite, "DELETE FROM unmatched_folders WHERE path = ?").run(path);
  else
    command(
      sqlite,
      `INSERT INTO unmatched_folders (path, files, size, groups, at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (path) DO UPDATE SET files = excluded.files, size = excluded.size, groups = excluded.groups, at = excluded.at`,
    ).run(path, files, bytes, text, archive.host.now());
}

export const listUnmatched = (archive: Archive): UnmatchedFolder[] =>
  query(
    archive.sqlite,
    {
      path: "unmatched_folders.path",
      files: "unmatched_folders.files",
      bytes: "unmatched_folders.size",
      groups: "unmatched_folders.groups",
    },
    "SELECT path, files, size AS bytes, groups FROM unmatched_folders ORDER BY at DESC, path LIMIT 50",
  )
    .all()
    .map((row) => ({ ...row, groups: JSON.parse(row.groups) as UnmatchedFolder["groups"] }));
