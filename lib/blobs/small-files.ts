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
    const folder = dirname(place(digest));
    if (hadFolder(folder) && holds(place(digest), bytes)) return null;
    const path = begin(digest);
    try {
      try {
        writeFile(path, bytes);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        // The folder was removed by hand since it was known.
        makePrivateFolder(folder);
        writeFile(path, bytes);
      }
      return path;
    } catch (error) {
      unlinkQuietly(path);
      end();
      throw error;
    }
  }

  /** Puts at its place what write() wrote, or the bytes anew when that is gone. What is in the way goes to the quarantine. */
  async function reveal(digest: string, bytes: Uint8Array, written: string | null): Promise<void> {
    if (written !== null)
      return moveTo(digest, written).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
        return reveal(digest, bytes, null);
      });
    const path = write(digest, bytes);
    if (path === null) return;
    try {
      await moveTo(digest, path);
    } finally {
      end();
    }
  }

  async function moveTo(digest: string, path: string): Promise<void> {
    try {
      renameSync(path, place(digest));
    } catch (error) {
      if (!IN_THE_WAY.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      await moveAside(place(digest), quarantine);
      renameSync(path, place(digest));
    }
  }

  return { write, reveal };
}

/** Syncs files and the folders above them, up to `top`. What was removed since needs nothing. */
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
    if (error.code !== "ENOENT") throw error;
  });
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
