// Small blobs, in two steps: written beside their place, where nobody sees them, and put there when their bytes are durable
// elsewhere. Their files are synced later, many at once.
import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { forEach } from "./for-each.ts";
import { holds } from "./holds.ts";
import { unlinkQuietly } from "./leftovers.ts";
import { IN_THE_WAY, moveAside } from "./quarantine.ts";
import { makePrivateFolder, stripsModes, syncPath, writeAll } from "./sync.ts";

/** Where blobs belong, and the temporary files beside their places, which are counted. */
export type Places = {
  place(digest: string): string;
  begin(digest: string): string;
  end(options?: { readonly linger: boolean }): void;
};

export function smallFiles({ place, begin, end }: Places, quarantine: string) {
  const known = new Set<string>();

  /** Whether the folder was there before, and may hold the file. */
  function hadFolder(folder: string): boolean {
    if (known.has(folder)) return true;
    const isNew = makeFolder(folder);
    known.add(folder);
    return !isNew;
  }

  /** The name of the new file; null when the bytes stand at their place already. */
  function write(digest: string, bytes: Uint8Array): string | null {
    return hadFolder(dirname(place(digest))) && holds(place(digest), bytes) ? null : writeNew(digest, bytes);
  }

  function writeNew(digest: string, bytes: Uint8Array): string {
    const path = begin(digest);
    try {
      try {
        writeFile(path, bytes);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        // The folder was removed by hand since it was known, or is not known.
        makePrivateFolder(dirname(path));
        writeFile(path, bytes);
      }
      return path;
    } catch (error) {
      unlinkQuietly(path);
      end();
      throw error;
    }
  }

  /** Puts at its place what write() wrote. */
  async function reveal(digest: string, bytes: Uint8Array, written: string | null): Promise<void> {
    if (written === null) return holds(place(digest), bytes) ? undefined : putAnew(digest, bytes);
    await moveTo(digest, written).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      return putAnew(digest, bytes);
    });
  }

  /** A new file at its place, whatever stands there. */
  async function putAnew(digest: string, bytes: Uint8Array): Promise<void> {
    const path = writeNew(digest, bytes);
    try {
      await moveTo(digest, path);
    } catch (error) {
      unlinkQuietly(path);
      throw error;
    } finally {
      end();
    }
  }

  /** What is in the way goes to the quarantine. */
  async function moveTo(digest: string, path: string): Promise<void> {
    try {
      renameSync(path, place(digest));
    } catch (error) {
      if (!IN_THE_WAY.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      await moveAside(place(digest), quarantine);
      renameSync(path, place(digest));
    }
  }

  return { write, reveal, putAnew };
}

/** Syncs files and the folders above them, up to `top`, as far as they are there. */
export async function syncPlaces(top: string, places: readonly string[]): Promise<void> {
  const folders = new Set<string>();
  await forEach(places, async (placed) => {
    await syncIfThere(placed, "r+");
    for (let at = dirname(placed); at !== dirname(top) && !folders.has(at); at = dirname(at)) folders.add(at);
  });
  await forEach([...folders], (folder) => syncIfThere(folder, "r"));
}

async function syncIfThere(path: string, flags: "r" | "r+"): Promise<void> {
  await syncPath(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== "open" || !OUT_OF_HAND.has(error.code ?? "")) throw error;
  });
}

/** What opening says of a file that somebody removed, replaced or closed: there is nothing of ours to sync. */
const OUT_OF_HAND = new Set(["ENOENT", "EACCES", "EPERM", "EISDIR", "ENOTDIR", "ELOOP"]);

function writeFile(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, "wx", 0o600);
  try {
    if (stripsModes()) fchmodSync(fd, 0o600);
    writeAll(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

/** Makes the folder of a blob, and the one above it; whether it is new. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, 0o700);
    if (stripsModes()) chmodSync(path, 0o700);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code !== "ENOENT") throw error;
    makePrivateFolder(path);
    return true;
  }
}
