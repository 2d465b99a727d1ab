// A thread that writes small blobs for puts, each the whole way: bytes, sync, place, folders. Waiting for the disk here
// costs the thread that asked nothing; the same calls through the pool of libuv cost it six turns of its loop a blob.
import { chmodSync, closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { parentPort } from "node:worker_threads";
import { makePrivateFolder, stripsModes, writeAll } from "./sync.ts";

export type DiskWish = {
  readonly id: number;
  /** The blob's place, and the temporary name beside it. */
  readonly place: string;
  readonly temporary: string;
  readonly bytes: Uint8Array;
  /** How many folders above the blob's own are to be synced too: 0 when its name is known to be on the disk. */
  readonly foldersAbove: number;
};

export type DiskAnswer = {
  readonly id: number;
  readonly error: { readonly code: string | null; readonly message: string } | null;
};

parentPort!.on("message", (wish: DiskWish) => {
  try {
    write(wish);
    parentPort!.postMessage({ id: wish.id, error: null } satisfies DiskAnswer);
  } catch (error) {
    const { code = null, message } = error as NodeJS.ErrnoException;
    parentPort!.postMessage({ id: wish.id, error: { code, message } } satisfies DiskAnswer);
  }
});

function write({ place, temporary, bytes, foldersAbove }: DiskWish): void {
  const folder = dirname(place);
  if (foldersAbove > 0) makeFolder(folder);
  const { fd, isFolderNew } = create(temporary);
  try {
    if (stripsModes()) fchmodSync(fd, 0o600);
    writeAll(fd, bytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, place);
  // Whoever made the folder: its name, and those above it, are on the disk before the blob is said to be.
  const count = isFolderNew ? ALL_ABOVE : foldersAbove;
  for (let at = folder, above = 0; above <= count; at = dirname(at), above++) syncFolder(at);
}

/** Folders above a blob's own, the archive's with them. */
const ALL_ABOVE = 3;

function create(path: string): { fd: number; isFolderNew: boolean } {
  try {
    return { fd: openSync(path, "wx", 0o600), isFolderNew: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // The folder was removed by hand since it was known.
    makePrivateFolder(dirname(path));
    return { fd: openSync(path, "wx", 0o600), isFolderNew: true };
  }
}

/** The folder of a blob, and the one above it; the root is there. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, 0o700);
    if (stripsModes()) chmodSync(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT") throw error;
    makePrivateFolder(path);
  }
}

function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
