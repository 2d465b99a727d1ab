// Files that only their owner reads, written whole or not at all: a temporary name beside the target, synced, renamed, and
// the folder synced. What is read is a regular file and no link.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { chmod, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fail } from "#lib/kernel/errors.ts";

const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Makes a folder and those above it, 0700 whatever the umask; refuses a link in its place. */
export async function privateFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) {
    await chmod(path, 0o700);
    await syncFolder(dirname(made));
  }
  if (!(await lstat(path)).isDirectory()) fail("invalid", `${path} is not a folder. Name a folder, or a new path.`);
}

export type ReadFile = { readonly bytes: Buffer; readonly stat: Stats };

/** The bytes of a regular file with what it was when they were read; null when there is none. */
export async function readRegular(path: string): Promise<ReadFile | null> {
  // Without O_NONBLOCK opening a named pipe waits for a writer, for ever.
  const file = await open(path, constants.O_RDONLY | NO_LINK | (constants.O_NONBLOCK ?? 0)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      if (error.code === "ELOOP") fail("invalid", `${path} is a symbolic link. Name the file itself.`, error);
      throw error;
    },
  );
  if (file === null) return null;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) fail("invalid", `${path} is not a regular file.`);
    return { bytes: await file.readFile(), stat };
  } finally {
    await file.close();
  }
}

/** Puts a file with these bytes in the place of whatever is at `path`. `check` is asked right before it is renamed. */
export async function replaceFile(
  path: string,
  bytes: Uint8Array | string,
  mode = 0o600,
  check: () => Promise<void> = async () => {},
): Promise<void> {
  const temporary = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`;
  try {
    await createFile(temporary, bytes, mode);
    await check();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** A new synced file; refuses when there is one. */
export async function createFile(path: string, bytes: Uint8Array | string, mode = 0o600): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINK, 0o600);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function syncFolder(path: string): Promise<void> {
  // Windows cannot sync a folder; NTFS journals the names itself.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
