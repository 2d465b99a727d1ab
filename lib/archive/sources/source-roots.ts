// The folders that are read and watched: the formats' defaults, or what a person or the environment named instead, and
// what a person added.
import { command, query, scalar } from "#db/statement.ts";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { z } from "zod";
import { captured } from "#lib/formats/captured.ts";
import { FORMATS } from "#lib/formats/index.ts";
import type { Format } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { CAPTURE_FOLDER } from "#lib/kernel/captured-record.ts";
import { isInside } from "#lib/sources/source-handle.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { rootRow } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { labelOf } from "../import/format-label.ts";
import { archivedFolders, isArchivedRead } from "../import/archived-transcripts.ts";

export type Root = {
  readonly path: string;
  readonly format: string | null;
  readonly from: "default" | "named" | "added";
  /** The default folder with a star that it is one of. */
  readonly star?: string;
};
export type RootRow = z.infer<typeof rootRow>;

const SETTING = "sources.added";

/** The roots in order. `named` stands in place of the defaults; null leaves those. */
export function rootsOf(
  archive: Archive,
  named: readonly string[] | null,
  env: Readonly<Record<string, string | undefined>>,
  os: string,
): Root[] {
  const first: Root[] =
    named === null
      ? FORMATS.flatMap((format) => {
          const own = { format: format.id, from: "default" as const };
          const folders = format.sources(env, os).flatMap((given) => {
            const star = resolve(given);
            // Whether transcripts that lie aside are read is chosen for each folder.
            const isEach = !star.includes("*") || format.archivedAs !== undefined;
            return foldersOf(star).map((path) => (isEach ? { path } : { path, star }));
          });
          const files = listedFiles(format, env, os).map((path) => ({ path }));
          return [...folders, ...files].map((root) => ({ ...root, ...own }));
        })
      : named.map((path) => ({ path: resolve(path), format: null, from: "named" as const }));
  first.push({ path: join(archive.dir, CAPTURE_FOLDER), format: captured.id, from: "default" });
  const added = addedRoots(archive).map((path) => ({ path, format: null, from: "added" as const }));
  const seen = new Set<string>();
  return [...first, ...added].filter(({ path }) => !seen.has(path) && seen.add(path));
}

/** The folders of agents, which hold much beside sessions: in them files go by their names. */
export const foldersByName = ({ dir }: Pick<Archive, "dir">, roots: readonly Root[]): string[] => [
  dir,
  ...roots.filter(({ from }) => from === "default").map(({ path }) => path),
];

/** The folders that a path with a star names now; one without is named whether it is there or not. */
function foldersOf(path: string): string[] {
  const star = path.indexOf("*");
  if (star < 0) return [path];
  const start = path.slice(0, star);
  const rest = path.slice(star + 1);
  const parent = dirname(`${start}x`);
  const prefix = basename(`${start}x`).slice(0, -1);
  try {
    const entries = readdirSync(parent, { withFileTypes: true });
    const found = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith(prefix));
    const paths = found.map(({ name }) => join(parent, name) + rest);
    // Any name at all: VS Code has a folder for each workspace that was ever opened, and few of them have chats.
    return paths.filter((one) => prefix !== "" || existsSync(one)).toSorted();
  } catch {
    return [];
  }
}

/** Files of the projects that an agent lists: those that are there. */
function listedFiles(format: Format, env: Readonly<Record<string, string | undefined>>, os: string): string[] {
  const files = (format.projects?.paths(env, os) ?? []).flatMap((path) => {
    try {
      const stat = statSync(path);
      if (!stat.isFile() || stat.size > LIMITS.sidecarBytes) return [];
      return format.projects?.files(JSON.parse(readFileSync(path, "utf8"))) ?? [];
    } catch {
      // Absent, or written at this moment: it is looked at again.
      return [];
    }
  });
  return files.map((path) => resolve(path)).filter((path) => existsSync(path));
}

function addedRoots(archive: Archive): string[] {
  const value = scalar(archive.sqlite, "settings.value", "FROM settings WHERE key = ?").get(SETTING);
  return value === undefined ? [] : (JSON.parse(value) as string[]);
}

function saveRoots(archive: Archive, paths: readonly string[]): void {
  command(
    archive.sqlite,
    "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  ).run(SETTING, JSON.stringify(paths));
}

export async function addRoot(archive: Archive, path: string): Promise<string> {
  const full = resolve(path);
  if (!existsSync(full)) fail("not_found", `Nothing at ${full}. Name a folder or file that is there.`);
  const paths = addedRoots(archive);
  if (!paths.includes(full)) saveRoots(archive, [...paths, full]);
  return full;
}

/** Stops reading a folder that a person added. What was imported from it stays. */
export async function removeRoot(archive: Archive, path: string): Promise<void> {
  const full = resolve(path);
  const paths = addedRoots(archive);
  if (!paths.includes(full)) fail("not_found", `${full} was not added by hand. Only added folders can be removed.`);
  saveRoots(
    archive,
    paths.filter((other) => other !== full),
  );
}

/** A path as a person knows it: the home folder is `~`. */
export function labelOfPath({ host }: Archive, path: string): string {
  return host.home && host.home !== "/" && isInside(path, host.home) ? `~${path.slice(host.home.length)}` : path;
}

/** What is at a root or below it, of the table of sources: a range of the paths' index, as every page asks for it. */
export const BELOW_ROOT = "(path = @root OR (path >= @below AND path < @after))";
/** Of files as the list of sources counts them, the bytes of those that were read. */
const FILES_BELOW = `SELECT format, count(*) AS files,
    coalesce(sum(size) FILTER (WHERE status IN ('ok', 'older copy', 'gone')), 0) AS bytes
  FROM sources WHERE ${BELOW_ROOT} GROUP BY format`;
/** Paths below a folder begin with its separator: this comes next after that. */
const AFTER_SEP = String.fromCodePoint(sep.codePointAt(0)! + 1);

export function rangeBelow(path: string): { root: string; below: string; after: string } {
  const below = path.endsWith(sep) ? path : path + sep;
  return { root: path, below, after: below.slice(0, -1) + AFTER_SEP };
}

/** From so many on the folders of a star are one row: a person may have hundreds of workspaces. */
const MANY = 4;

/** What a root is listed as, by its path: its own path, or the star of many. */
export function listedAs(roots: readonly Pick<Root, "path" | "star">[]): (root: Pick<Root, "path" | "star">) => string {
  const counts = new Map<string, number>();
  for (const { star } of roots) if (star !== undefined) counts.set(star, (counts.get(star) ?? 0) + 1);
  return ({ path, star }) => (star !== undefined && counts.get(star)! >= MANY ? star : path);
}

/** The roots with what was read under each, and under those of a star together. */
export async function describeRoots(archive: Archive, roots: readonly Root[], watching: boolean): Promise<RootRow[]> {
  const read = query(archive.sqlite, { format: "sources.format", files: "integer", bytes: "integer" }, FILES_BELOW);
  const folders = archivedFolders(archive);
  const archiving = new Set(FORMATS.flatMap(({ id, archivedAs }) => (archivedAs === undefined ? [] : [id])));
  const nameOf = listedAs(roots);
  const rows = roots.flatMap((one) => {
    const { star: _star, ...root } = one;
    const own = read.all(rangeBelow(root.path));
    // Nobody meets it before a proxy has run.
    if (root.format === captured.id && own.length === 0) return [];
    const exists = existsSync(root.path);
    const path = nameOf(one);
    return {
      ...root,
      path,
      label: labelOfPath(archive, path),
      formatLabel: root.format === null ? null : labelOf(root.format),
      exists,
      files: own.reduce((sum, { files }) => sum + files, 0),
      bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
      watching: watching && exists,
      // Where no file can lie aside there is nothing to ask.
      archived: [root.format, ...own.map(({ format }) => format)].some((id) => id !== null && archiving.has(id))
        ? isArchivedRead(folders, root.path)
        : null,
    };
  });
  const listed = new Map<string, RootRow>();
  for (const row of rows) {
    const known = listed.get(row.path);
    const { files = 0, bytes = 0 } = known ?? {};
    listed.set(row.path, { ...row, ...known, files: files + row.files, bytes: bytes + row.bytes });
  }
  return [...listed.values()];
}
