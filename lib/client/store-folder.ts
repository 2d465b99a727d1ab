// Where an ArtifactStore keeps its files: a folder of the person's own. A folder that somebody else could have put there,
// or could change, is refused: a name under /tmp can be guessed, and not every kernel protects links there.
import { hash } from "node:crypto";
import { lstatSync } from "node:fs";
import type { Stats } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { makePrivateFolder } from "#lib/blobs/sync.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `$PLIMSOLL_ARTIFACT_STORE`, else `artifact-store` in the person's data folder. */
export function defaultStoreDir(env: Environment = process.env): string {
  const named = env["PLIMSOLL_ARTIFACT_STORE"];
  if (named) return resolve(named);
  const data = env["XDG_DATA_HOME"] || join(env["HOME"] || homedir(), ".local", "share");
  return join(data, "plimsoll", "artifact-store");
}

/** The folder, made when it is not there, and safe to write in. */
export function openStoreFolder(path: string): string {
  const base = resolve(path);
  try {
    makePrivateFolder(base);
  } catch (error) {
    fail(
      "invalid",
      `The artifact store cannot be made at ${base}: ${(error as Error).message}. Name another folder.`,
      error,
    );
  }
  checkPrivate(base);
  const above = lstatSync(dirname(base));
  // The sticky bit keeps others from taking the folder away; without it they can put their own in its place.
  if (process.geteuid !== undefined && (above.mode & 0o022) !== 0 && (above.mode & 0o1000) === 0)
    refuse(base, `other users can replace files in ${dirname(base)}`);
  return base;
}

/** The folder of one session inside a store. Made when `make` is given; checked in any case. */
export function sessionFolder(base: string, sessionId: string, make: boolean): string | null {
  const path = join(base, sessionFolderName(sessionId));
  if (make) makePrivateFolder(path);
  else if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
  checkPrivate(path);
  return path;
}

const PLAIN = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Names that Windows keeps for devices. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** A session's id is data: a plain one is its folder's name, any other is named by its hash, which no plain one is. */
export function sessionFolderName(sessionId: string): string {
  if (PLAIN.test(sessionId) && !DEVICE.test(sessionId)) return sessionId;
  return `~${hash("sha256", sessionId, "hex").slice(0, 32)}`;
}

export const isSessionFolderName = (name: string): boolean => PLAIN.test(name) || /^~[0-9a-f]{32}$/.test(name);

function checkPrivate(path: string): void {
  let found: Stats;
  try {
    found = lstatSync(path);
  } catch (error) {
    fail("invalid", `The artifact store cannot use ${path}: ${(error as Error).message}.`, error);
  }
  if (found.isSymbolicLink()) refuse(path, "it is a symbolic link");
  if (!found.isDirectory()) refuse(path, "it is not a folder");
  if (process.geteuid === undefined) return;
  if (found.uid !== process.geteuid()) refuse(path, "it belongs to another user");
  if ((found.mode & 0o022) !== 0) refuse(path, "other users can write to it");
}

function refuse(path: string, why: string): never {
  fail("invalid", `The artifact store does not use ${path}: ${why}. Name a folder of your own.`);
}

/** Why something could not be done, in words. */
export const reasonOf = (error: unknown): string =>
  isAppError(error) || error instanceof Error ? error.message : String(error);
