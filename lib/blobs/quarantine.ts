// Where damaged blobs go: kept for a person to look at, out of the way of the same content stored again.
import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { makePrivateFolder } from "./sync.ts";

/** Moves what stands at `path` into the quarantine folder, under its name and a random ending. */
export async function moveAside(path: string, quarantine: string): Promise<void> {
  makePrivateFolder(quarantine);
  await rename(path, asideOf(path, quarantine)).catch((error: NodeJS.ErrnoException) => {
    // Somebody else moved it first.
    if (error.code !== "ENOENT") throw error;
  });
}

/** The same, at once. */
export function moveAsideNow(path: string, quarantine: string): void {
  makePrivateFolder(quarantine);
  renameSync(path, asideOf(path, quarantine));
}

const asideOf = (path: string, quarantine: string): string =>
  join(quarantine, `${basename(path)}.${randomBytes(4).toString("hex")}`);

/** What a rename says when something that is no file stands at the place of a blob. */
export const IN_THE_WAY = new Set(["EISDIR", "ENOTEMPTY", "EEXIST", "ENOTDIR"]);
