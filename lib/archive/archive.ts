// The archive: one folder with a database, blobs and registries. Everything that is kept goes through a function
// that takes it first. One process at a time writes; any number reads beside it.
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { connect, type Connection, type Sqlite } from "#db/connection.ts";
import { openBlobs } from "#lib/blobs/index.ts";
import { closeRegistries } from "#lib/blobs/session-registry.ts";
import { createJobs } from "#lib/jobs/index.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Host } from "#lib/kernel/host.ts";
import { noteClock } from "./base/clock-guard.ts";
import { Journal, restoreJournal } from "./base/blob-journal.ts";
import { isDamaged } from "./base/is-damaged.ts";
import { isNoRoom } from "./base/is-no-room.ts";
import { withReserve } from "./base/reserve-file.ts";
import type { Archive } from "./base/archive-type.ts";
import { WriteLock } from "./base/write-lock.ts";

export type OpenOptions = {
  readonly dir: string;
  readonly host: Host;
  /** `worker` writes under the lock that the process which started it holds. */
  readonly mode?: "read" | "write" | "worker";
};

/**
 * Opens an archive, and makes it when it is not there. Fails with `conflict` when another process writes to it, with
 * `unsupported` when a newer Plimsoll made it; neither changes a byte.
 */
export async function openArchive(options: OpenOptions): Promise<Archive> {
  const dir = resolve(options.dir);
  try {
    return await withReserve({ dir }, () => open(dir, options));
  } catch (error) {
    if (!isNoRoom(error)) throw error;
    return fail("conflict", `The disk of the archive ${dir} is full. Free about 2 MB there, then start again.`, error);
  }
}

async function open(dir: string, options: OpenOptions): Promise<Archive> {
  const mode = options.mode ?? "write";
  if (mode === "write") makePrivate(dir);
  const lock = mode === "write" ? takeLock(dir) : null;
  try {
    const connection = connect(dir, mode === "read" ? "read" : "write");
    const { host } = options;
    if (mode === "write") noteTime({ ...connection, host });
    const blobs = openBlobs(dir);
    const turn = new WriteLock();
    const parts = { dir, blobs, turn, ...connection };
    // What cannot be done now is tried again in the first pause: nobody is kept from his archive by one blob that has nowhere to go.
    if (lock !== null) await restoreJournal(parts).catch((error: unknown) => blobs.noteFailure(error));
    return {
      ...parts,
      journal: new Journal(parts, mode !== "read"),
      host,
      mode: mode === "read" ? "read" : "write",
      lock,
      writer: null,
      ship: null,
      searcher: null,
      jobs: createJobs(),
      atClose: [],
    };
  } catch (error) {
    lock?.close();
    throw error;
  }
}

function noteTime(opened: Connection & { readonly host: Host }): void {
  try {
    noteClock(opened);
  } catch (error) {
    // The time that was believed before is still there; a damaged page is told by who needs it.
    if (!isNoRoom(error) && !isDamaged(error)) throw error;
  }
}

/** A write that nobody answers any more does not hold up the end (milliseconds). */
const CLOSE_MS = 1000;

export async function closeArchive(archive: Archive): Promise<void> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<void>();
  const timer = setTimeout(giveUp, CLOSE_MS);
  await Promise.race([Promise.allSettled(archive.atClose.map((close) => close())), late]);
  clearTimeout(timer);
  await archive.jobs.close();
  await archive.journal.settle();
  // Of a thread that wrote for this one and was ended; what cannot be done now is done when it is opened again.
  if (archive.lock !== null) await restoreJournal(archive).catch(() => undefined);
  archive.blobs.close();
  closeRegistries(archive.dir);
  archive.sqlite.close();
  archive.lock?.close();
}

/** Why a folder cannot be made or used. ENOENT is a link whose target is missing. */
const UNUSABLE = new Set(["EROFS", "EACCES", "EPERM", "ENOTDIR", "EEXIST", "ENOENT", "ELOOP", "ENAMETOOLONG"]);

/** A folder of one's own: made with mode 0700 whatever the umask, and refused when it belongs to somebody else. */
function makePrivate(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const stat = lstatSync(dir);
    if (!stat.isDirectory()) fail("invalid", `The archive ${dir} is not a folder. Name another one with --archive.`);
    const uid = process.getuid?.();
    if (uid !== undefined && stat.uid !== uid)
      fail("invalid", `The archive folder ${dir} belongs to another user. Name another one with --archive.`);
    if (process.platform !== "win32" && (stat.mode & 0o077) !== 0) chmodSync(dir, 0o700);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== undefined && UNUSABLE.has(code))
      fail(
        "invalid",
        `The archive folder ${dir} cannot be written (${code}). Name another one with --archive DIR.`,
        error,
      );
    throw error;
  }
}

/**
 * The writer lock is an open transaction on a database of its own: the kernel gives it back when the process ends,
 * however it ends.
 */
function takeLock(dir: string): Sqlite {
  let lock: Sqlite;
  try {
    lock = new Database(join(dir, "lock.db"), { timeout: 0 });
    chmodSync(join(dir, "lock.db"), 0o600);
  } catch (error) {
    fail("invalid", `The archive folder ${dir} cannot be written. Name another one with --archive DIR.`, error);
  }
  try {
    lock.pragma("journal_mode = DELETE");
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    const code = (error as { code?: string }).code ?? "";
    if (code.startsWith("SQLITE_BUSY"))
      fail(
        "conflict",
        `Another Plimsoll is writing to the archive in ${dir}. Use that one, stop it, or name another folder with --archive DIR.`,
        error,
      );
    if (code.startsWith("SQLITE_READONLY") || code === "SQLITE_CANTOPEN")
      fail("invalid", `The archive folder ${dir} cannot be written. Name another one with --archive DIR.`, error);
    throw error;
  }
}
