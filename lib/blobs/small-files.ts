// Small blobs whose durability is somebody else's care: written beside their path and renamed, at once and unsynced. Their
// files are synced later, many at once.
import { closeSync, fchmodSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { forEach } from "./for-each.ts";
import { holds } from "./holds.ts";
import { unlinkQuietly } from "./leftovers.ts";
import { IN_THE_WAY, moveAside } from "./quarantine.ts";
import { makePrivateFolder, stripsModes, syncIfThere, writeAll } from "./sync.ts";

/** Where blobs belong, and the temporary files beside their paths, which are counted. */
export type BlobPaths = {
  pathOf(digest: string): string;
  begin(digest: string): string;
  end(options?: { readonly linger: boolean }): void;
};

export function smallFiles({ pathOf, begin, end }: BlobPaths, quarantine: string) {
  const known = new Set<string>();

  /** Whether the folder was there before, and may hold the file. */
  function hadFolder(folder: string): boolean {
    if (known.has(folder)) return true;
    const isNew = makePrivateFolder(folder).length > 0;
    known.add(folder);
    return !isNew;
  }

  /** Whether the bytes were not at their path already. */
  function put(digest: string, bytes: Uint8Array): boolean {
    if (hadFolder(dirname(pathOf(digest))) && holds(pathOf(digest), bytes)) return false;
    // Another may come soon.
    putAnew(digest, bytes, { linger: true });
    return true;
  }

  /** A new file at its path, whatever stands there. What is in the way goes to the quarantine. */
  function putAnew(digest: string, bytes: Uint8Array, ending = { linger: false }): void {
    const path = begin(digest);
    try {
      writeBeside(path, bytes);
      try {
        renameSync(path, pathOf(digest));
      } catch (error) {
        if (!IN_THE_WAY.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
        moveAside(pathOf(digest), quarantine);
        renameSync(path, pathOf(digest));
      }
    } catch (error) {
      unlinkQuietly(path);
      throw error;
    } finally {
      end(ending);
    }
  }

  function writeBeside(path: string, bytes: Uint8Array): void {
    try {
      writeFile(path, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      // The folder was removed by hand since it was known, or is not known.
      makePrivateFolder(dirname(path));
      writeFile(path, bytes);
    }
  }

  return { put, putAnew };
}

/** Syncs files and the folders above them, up to `top`, as far as they are there. */
export async function syncPaths(top: string, paths: readonly string[]): Promise<void> {
  const folders = new Set<string>();
  await forEach(paths, async (path) => {
    await syncIfThere(path, "r+");
    for (let at = dirname(path); at !== dirname(top) && !folders.has(at); at = dirname(at)) folders.add(at);
  });
  await forEach([...folders], (folder) => syncIfThere(folder, "r"));
}

function writeFile(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, "wx", 0o600);
  try {
    if (stripsModes()) fchmodSync(fd, 0o600);
    writeAll(fd, bytes);
  } finally {
    closeSync(fd);
  }
}
