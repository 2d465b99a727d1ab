// The folder in which recorders keep what Plimsoll does not have yet, one for each address: a file for each recorder.
import { hash, randomUUID } from "node:crypto";
import { readdirSync, renameSync, statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { makePrivateFolder } from "#lib/blobs/sync.ts";
import { SpoolFile } from "./spool-file.ts";

const ENDING = ".plimsoll.jsonl";
/**
 * Another machine's process (a container that is gone) cannot be asked whether it lives, nor another thread of this one: its file is
 * taken when it is this old.
 */
const FOREIGN_MS = 3_600_000;

/** `$XDG_DATA_HOME/plimsoll/spool`, else below `~/.local/share`. */
export function defaultSpoolDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const data = env["XDG_DATA_HOME"] || join(env["HOME"] || homedir(), ".local", "share");
  return join(data, "plimsoll", "spool");
}

export function openSpoolFolder(base: string, url: string): string {
  const { host } = new URL(url);
  const folder = join(base, host.replaceAll(/[^a-z0-9.-]/gi, "_"));
  makePrivateFolder(folder);
  return folder;
}

/** Of this machine: a name of its own, since process ids of another mean nothing here. */
const machine = hash("sha256", hostname(), "hex").slice(0, 8);
const newName = (): string => `${machine}-${process.pid}.${threadId}-${randomUUID()}${ENDING}`;

// Files that this thread writes. Two copies of a module may be loaded into it; a symbol of the registry is the same in both.
const SLOT = Symbol.for("plimsoll.Spools");
const slots = globalThis as { [SLOT]?: Set<string> };
const open = (slots[SLOT] ??= new Set());

export function createSpool(folder: string, id: string, request: object): SpoolFile {
  const spool = SpoolFile.create(join(folder, newName()), id, request);
  open.add(spool.path);
  return spool;
}

/** Closes a file; `isDone`: everything in it arrived, and it is removed. */
export function closeSpool(spool: SpoolFile, isDone?: boolean): void {
  spool.close(isDone);
  open.delete(spool.path);
}

/** Files of processes that are gone, oldest first. Each is renamed first, so that only one process takes it. */
export function adoptSpools(folder: string): SpoolFile[] {
  const left = readdirSync(folder).filter((name) => name.endsWith(ENDING) && isLeft(folder, name));
  return left
    .map((name) => ({ name, at: modifiedAt(join(folder, name)) }))
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ name }) => {
      const path = join(folder, newName());
      try {
        renameSync(join(folder, name), path);
        const spool = SpoolFile.reopen(path);
        if (spool !== null) open.add(path);
        return spool ?? [];
      } catch {
        // Another process was faster, or it may not be read: it stays where it is.
        return [];
      }
    });
}

function isLeft(folder: string, name: string): boolean {
  const [of, writer = ""] = name.split("-");
  const [pid, thread] = writer.split(".").map(Number) as [number, number?];
  const isOwn = pid === process.pid;
  if (of !== machine || (isOwn && thread !== threadId)) return Date.now() - modifiedAt(join(folder, name)) > FOREIGN_MS;
  try {
    if (isOwn) return !open.has(join(folder, name));
    return !process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
