// Finding session files below a root. Sorted by name, so that two walks agree. A symbolic link is never
// followed: a folder that lies inside the root is walked at its real path, and one that lies outside
// is none of ours. What is not read is yielded with its reason, so that a person can see it.
import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { irregular, isInside } from "./source-handle.ts";

export type Found = { path: string; skipped?: string };

/**
 * The files below `root` that `wants` takes. A root may be a file. One that does not exist yields nothing. Of all other regular
 * files `onOther` is told, and takes those for which it says true.
 */
export async function* discover(
  root: string,
  wants: (path: string) => boolean,
  signal?: AbortSignal,
  onOther?: (path: string) => boolean,
): AsyncGenerator<Found> {
  const realRoot = await realpath(root).catch(() => null);
  if (realRoot === null) return;
  const kind = await stat(realRoot);
  if (!kind.isDirectory()) {
    const what = irregular(kind);
    // A root that is a link was named by a person: the file it leads to is what they meant.
    const path = (await lstat(root)).isSymbolicLink() ? realRoot : root;
    yield what === null ? { path } : { path, skipped: `It is ${what}; only regular files are read.` };
    return;
  }
  // A stack, not recursion: a chain of folders can be as deep as paths are long.
  const pending: { path: string; isFolder: boolean; skipped?: string }[] = [{ path: root, isFolder: true }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    signal?.throwIfAborted();
    if (!next.isFolder) {
      yield next.skipped === undefined ? { path: next.path } : { path: next.path, skipped: next.skipped };
      continue;
    }
    let entries: Dirent[];
    try {
      entries = await readdir(next.path, { withFileTypes: true });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // ENOENT: the folder went away during the walk.
      if (code !== "ENOENT") yield { path: next.path, skipped: `The folder cannot be read (${code}).` };
      continue;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    for (const entry of entries.toReversed()) {
      const path = join(next.path, entry.name);
      const skipped = await reasonToSkip(path, entry, realRoot, wants);
      if (skipped === null) {
        if (onOther !== undefined && entry.isFile() && onOther(path)) pending.push({ path, isFolder: false });
        continue;
      }
      if (skipped !== "") pending.push({ path, isFolder: false, skipped });
      else if (entry.isDirectory()) pending.push({ path, isFolder: true });
      else pending.push({ path, isFolder: false });
    }
  }
}

/** "" to take it, a sentence to list it as skipped, null for what does not concern us. */
async function reasonToSkip(
  path: string,
  entry: Dirent,
  realRoot: string,
  wants: (path: string) => boolean,
): Promise<string | null> {
  const isWanted = entry.isDirectory() || wants(path);
  if (isWanted && entry.name.includes("\uFFFD") && !(await exists(path)))
    return "Its name is not valid UTF-8. Rename it to read it.";
  if (entry.isDirectory()) return "";
  if (entry.isSymbolicLink()) {
    const target = await realpath(path).catch(() => null);
    const isFolder = target !== null && (await stat(target).catch(() => null))?.isDirectory() === true;
    if (isFolder)
      return isInside(target, realRoot) ? null : `It is a symbolic link to a folder outside the source, ${target}.`;
    if (!isWanted) return null;
    return target === null ? "It is a symbolic link whose target is missing." : `It is a symbolic link, to ${target}.`;
  }
  if (!isWanted) return null;
  const what = irregular(entry);
  return what === null ? "" : `It is ${what}; only regular files are read.`;
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
