// The whole way of one small blob: bytes, sync, place, folders. Each call waits for the disk.
import { chmodSync, closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateFolder, stripsModes, writeAll } from "./sync.ts";

export type WholeBlob = {
  /** The blob's place, and the temporary name beside it. */
  readonly place: string;
  readonly temporary: string;
  readonly bytes: Uint8Array;
  /** How many folders above the blob's own are to be synced too: 0 when its name is known to be on the disk. */
  readonly foldersAbove: number;
};

/** When it returns, the blob is at its place, and its bytes and name are on the disk. */
export function writeWhole({ place, temporary, bytes, foldersAbove }: WholeBlob): void {
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
