// Where damaged blobs go: kept for a person to look at, out of the way of the same content stored again.
import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import { basename, join } from "node:path";
import { makePrivateFolder } from "./sync.ts";

/** Moves what stands at `path` into the quarantine folder, under its name and a random ending. */
export function moveAside(path: string, quarantine: string): void {
  makePrivateFolder(quarantine);
  try {
    renameSync(path, join(quarantine, `${basename(path)}.${randomBytes(4).toString("hex")}`));
  } catch (error) {
    // Somebody else moved it first.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** What a rename says when something that is no file stands at the path of a blob. */
export const IN_THE_WAY = new Set(["EISDIR", "ENOTEMPTY", "EEXIST", "ENOTDIR"]);
