// Writing, private folders, and fsync for what must be on the disk before anyone is told so.
import { chmodSync, closeSync, fsync, mkdirSync, openSync, write, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Writes all of `bytes`; one write() may take only a part. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
}

/** The same, in a thread of the pool. */
export async function writeAllAsync(fd: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const from = done;
    done += await new Promise<number>((resolve, reject) => {
      write(fd, bytes, from, bytes.length - from, null, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }
}

/** fsync of an open file. */
export function syncDescriptor(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(fd, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** fsync of a file ("r+") or folder ("r") by path. */
export async function syncPath(path: string, flags: "r" | "r+"): Promise<void> {
  // Windows cannot sync a folder; NTFS journals the names itself.
  if (process.platform === "win32" && flags === "r") return;
  // Opening and closing what was just made waits for nothing; only the sync does.
  const fd = openSync(path, flags);
  try {
    await syncDescriptor(fd);
  } finally {
    closeSync(fd);
  }
}

/** The same, unless somebody has removed it or taken it in hand. */
export async function syncIfThere(path: string, flags: "r" | "r+"): Promise<void> {
  await syncPath(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== "open" || !OUT_OF_HAND.has(error.code ?? "")) throw error;
  });
}

/** What opening says of a file that somebody removed, replaced or closed: there is nothing of ours to sync. */
const OUT_OF_HAND = new Set(["ENOENT", "EACCES", "EPERM", "EISDIR", "ENOTDIR", "ELOOP"]);

/** Makes a folder and those above it, 0700 whatever the umask. Returns the folders in which a name is new. */
export function makePrivateFolder(path: string): string[] {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return [];
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    return [...makePrivateFolder(dirname(path)), ...makePrivateFolder(path)];
  }
  chmodSync(path, 0o700);
  return [dirname(path)];
}

/** The umask takes the owner's bits away too: what is made needs its mode set. */
export const stripsModes = (): boolean => (process.umask() & 0o700) !== 0;
