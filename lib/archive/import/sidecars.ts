// Small files beside a source that say what its records do not.
import { lstatSync } from "node:fs";
import type { Format } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { isBundled } from "../base/bundle-path.ts";
import { readLinesWith, readSmall } from "#lib/sources/source-handle.ts";
import type { Archive } from "../base/archive-type.ts";
import { besideFilesOf, type FoundFile } from "./beside-files.ts";
import type { FileOptions } from "./file-options.ts";

/** The small files beside a source that its format asks for, by path. */
export async function readSidecars(
  format: Format,
  path: string,
  roots: readonly string[],
  onFound: (file: FoundFile) => void = () => undefined,
  /** Reads them, where the source is an entry of an archive. */
  inArchive?: FileOptions["beside"],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (isBundled(path)) return found;
  for (const beside of format.sidecars?.(path) ?? []) {
    const file = inArchive ? inArchive(beside) : await readSmall(beside, roots, LIMITS.sidecarBytes);
    const text = file === null && !inArchive ? (format.sidecarLines?.(beside) ?? null) : null;
    // Only what is whole is kept: what was read of a large one is in the parser's state.
    const lines = text === null ? null : await readLinesWith(beside, roots, text, LIMITS.sidecarBytes);
    if (lines !== null) found.set(beside, new TextDecoder().decode(lines));
    if (file === null) continue;
    found.set(beside, new TextDecoder().decode(file.bytes));
    if (format.ownsSidecars === true) onFound({ path: beside, ...file });
  }
  return found;
}

/** Adds those that are gone, as they were read last, or came in a bundle. */
export function addKeptSidecars(
  archive: Archive,
  format: Format,
  source: { readonly pk: number; readonly path: string },
  found: Map<string, string>,
): void {
  const own = ownSidecars(format, source.path);
  if (own.every((path) => found.has(path))) return;
  for (const { path, bytes } of besideFilesOf(archive, source.pk))
    if (bytes !== null && own.includes(path) && !found.has(path)) found.set(path, new TextDecoder().decode(bytes));
}

/** Bytes and time of each file beside. */
type BesideStats = Readonly<Record<string, readonly [size: number, mtimeMs: number]>>;

/** Files beside that belong to this source alone. */
export const ownSidecars = (format: Format, path: string): readonly string[] =>
  format.ownsSidecars === true ? (format.sidecars?.(path) ?? []) : [];

/** How they are now, as it is kept with the source; null where it has none. */
export function besideNow(format: Format, path: string): string | null {
  const paths = isBundled(path) ? [] : ownSidecars(format, path);
  if (paths.length === 0) return null;
  return JSON.stringify(Object.fromEntries(paths.flatMap((one) => entryOf(one) ?? [])));
}

function entryOf(path: string): [[path: string, stat: BesideStats[string]]] | null {
  try {
    const { size, mtimeMs } = lstatSync(path);
    return [[path, [size, mtimeMs]]];
  } catch {
    return null;
  }
}

export const besideStats = (kept: string): BesideStats => JSON.parse(kept) as BesideStats;

/** One of them is new, or another than it was. One that is gone said what it said. */
export function isBesideNews(kept: string | null, now: string | null): boolean {
  if (kept === null || now === null || kept === now) return false;
  const before = besideStats(kept);
  return Object.entries(besideStats(now)).some(([path, [size, mtimeMs]]) => {
    const known = before[path];
    return known === undefined || known[0] !== size || known[1] !== mtimeMs;
  });
}
