// Creates a file that was not there: the one way in which anything is written into another program's folder. The bytes go into
// a file of another name beside it, are synced, and get the name with a hard link, which never replaces anything. So no
// reader meets half a file, whatever ends the writing, and a file that appears meanwhile stays as it is.
import { createHash, randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { constants, copyFile, link, lstat, mkdir, open, realpath, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { AppError, fail, isAppError } from "#lib/kernel/errors.ts";
import { irregular, isInside } from "./source-handle.ts";

export type NewFile = {
  readonly path: string;
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Permissions of the file; 0600 unless given. Folders that are made are 0700. */
  readonly mode?: number;
  /** When it was last written, for a file that is given back. */
  readonly mtimeMs?: number | null;
  /** The real path of its folder must lie in this folder, so that no link leads out of it. */
  readonly within?: string;
  /** What must come out: other bytes are not given the name. */
  readonly digest?: string;
  /** Makes missing folders; without it they are an error. */
  readonly makeFolders?: boolean;
  /** `compare`: equal bytes that are there already are fine. `refuse`: whatever is there is an error, before a byte is read. */
  readonly ifThere?: "compare" | "refuse";
  /** Runs once all bytes are on the disk, before the file has its name: what is to know of it in any case does by then. */
  readonly beforeName?: (file: Omit<Created, "state">) => Promise<unknown>;
  /** The last sentence of an error: where else it may go. */
  readonly advice?: string;
  readonly signal?: AbortSignal;
};

export type Created = {
  readonly state: "created" | "already there";
  readonly path: string;
  readonly sizeBytes: number;
  /** sha-256, hex. */
  readonly digest: string;
};

/** Creates the file whole, or changes nothing. Never replaces one: other bytes under its name are refused with both digests. */
export async function createNewFile(file: NewFile): Promise<Created> {
  const path = resolve(file.path);
  const whole = { ...file, path };
  try {
    return await create(whole);
  } catch (error) {
    return refuse(whole, error);
  }
}

/** sha-256 and length of the regular file of this name; null when nothing is there. Fails for anything else. */
export async function digestOfFile(
  path: string,
  signal?: AbortSignal,
): Promise<{ readonly digest: string; readonly sizeBytes: number } | null> {
  const found = await statOf(path);
  if (found === null) return null;
  const what = irregular(found);
  if (what !== null) fail("conflict", `${path} is ${what}. It is left as it is.`);
  const hash = createHash("sha256");
  let sizeBytes = 0;
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  for await (const piece of handle.createReadStream({ signal })) {
    hash.update(piece as Buffer);
    sizeBytes += (piece as Buffer).length;
  }
  return { digest: hash.digest("hex"), sizeBytes };
}

/**
 * Takes back a file that was created, as long as it holds the same bytes; false when another program has changed, replaced or
 * deleted it since, and then it stays as it is.
 */
export async function removeNewFile({ path, digest }: Pick<Created, "path" | "digest">): Promise<boolean> {
  const found = await statOf(path);
  if (found === null || irregular(found) !== null || (await digestOfFile(path))?.digest !== digest) return false;
  // Written to while it was compared: its time of change says so.
  const now = await statOf(path);
  if (now === null || now.ino !== found.ino || now.mtimeNs !== found.mtimeNs) return false;
  await rm(path);
  return true;
}

async function create(file: NewFile): Promise<Created> {
  const { path } = file;
  const isThere = (await statOf(path)) !== null;
  if (isThere && file.ifThere === "refuse") throw existing();
  // Nothing is written for what is there: its bytes are only compared.
  if (isThere) return compare(file, await digestOfBytes(file));
  const folder = dirname(path);
  await requireWithin(file, folder);
  const made = file.makeFolders === true ? await mkdir(folder, { recursive: true, mode: 0o700 }) : undefined;
  const temporary = join(folder, `.${basename(path).slice(0, 100)}.${randomUUID()}.unfinished`);
  let isCreated = false;
  try {
    await requireWithin(file, folder);
    const written = await write(file, temporary);
    if (file.digest !== undefined && written.digest !== file.digest)
      fail("conflict", `The bytes for ${path} have digest ${written.digest}, not ${file.digest}. Nothing was written.`);
    await file.beforeName?.({ path, ...written }).catch(refuseOwn);
    isCreated = await give(temporary, path);
    if (!isCreated && file.ifThere === "refuse") throw existing();
    return isCreated ? { state: "created", path, ...written } : await compare(file, written);
  } finally {
    await rm(temporary, { force: true });
    if (isCreated) await syncFolder(folder);
    else if (made !== undefined) await removeEmpty(folder, made);
  }
}

type Written = { readonly digest: string; readonly sizeBytes: number };

async function write(file: NewFile, temporary: string): Promise<Written> {
  const handle = await open(temporary, "wx", file.mode ?? 0o600);
  try {
    const hash = createHash("sha256");
    let sizeBytes = 0;
    for await (const piece of piecesOf(file)) {
      hash.update(piece);
      // A write may take a part: the rest of it follows.
      for (let from = 0; from < piece.length;)
        from += (await handle.write(piece, from, piece.length - from)).bytesWritten;
      sizeBytes += piece.length;
    }
    // Not left to the process's mask: the mode is the caller's.
    if (file.mode !== undefined) await handle.chmod(file.mode);
    if (file.mtimeMs !== undefined && file.mtimeMs !== null)
      await handle.utimes(file.mtimeMs / 1000, file.mtimeMs / 1000);
    await handle.sync();
    return { digest: hash.digest("hex"), sizeBytes };
  } finally {
    await handle.close();
  }
}

/** File systems that know no hard links (FAT, some network disks) say one of these. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Gives the finished file its name; false when the name was taken meanwhile. */
async function give(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
  }
  return copyExclusive(temporary, path);
}

/** The way without links: still never over a file; what a failure leaves is removed, as long as it is ours. */
async function copyExclusive(temporary: string, path: string): Promise<boolean> {
  const from = await lstat(temporary);
  try {
    await (await open(path, "wx", from.mode & 0o777)).close();
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  try {
    await copyFile(temporary, path);
    const handle = await open(path, "r+");
    await handle.utimes(from.atimeMs / 1000, from.mtimeMs / 1000);
    await handle.sync();
    await handle.close();
    return true;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function compare(file: NewFile, ours: Written): Promise<Created> {
  const { path } = file;
  if (file.digest !== undefined && ours.digest !== file.digest)
    fail("conflict", `The bytes for ${path} have digest ${ours.digest}, not ${file.digest}. Nothing was written.`);
  const there = await digestOfFile(path, file.signal);
  if (there !== null && there.digest === ours.digest) return { state: "already there", path, ...ours };
  return fail(
    "conflict",
    `${path} is there and differs: sha-256 ${there?.digest ?? "unknown"} there, ${ours.digest} here. It was left as it is. ${adviceOf(file)}`,
  );
}

async function digestOfBytes(file: NewFile): Promise<Written> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const piece of piecesOf(file)) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { digest: hash.digest("hex"), sizeBytes };
}

/** What fails in the caller's own bytes is told as the caller's failure, not as one of the disk that is written. */
async function* piecesOf(file: NewFile): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of file.bytes) {
      file.signal?.throwIfAborted();
      yield piece;
    }
  } catch (error) {
    refuseOwn(error);
  }
}

class OwnFailure extends Error {}

const refuseOwn = (cause: unknown): never => {
  throw new OwnFailure("The caller's own part failed.", { cause });
};

/** The nearest folder that is there decides, before any folder is made below it. */
async function requireWithin(file: NewFile, folder: string): Promise<void> {
  if (file.within === undefined) return;
  const root = await nearest(resolve(file.within));
  const real = await nearest(folder);
  if (!isInside(real, root) || !isInside(resolve(file.path), resolve(file.within)))
    fail(
      "invalid",
      `${file.path} would be written at ${real}, outside ${file.within}. Remove the link. ${adviceOf(file)}`,
    );
}

/** The real path of a folder, or of the nearest above it that is there. */
async function nearest(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    const above = dirname(folder);
    if (codeOf(error) !== "ENOENT" || above === folder) throw error;
    // A link that leads nowhere would be followed once its target is made.
    if ((await statOf(folder)) !== null)
      fail("invalid", `${folder} is a link to a folder that does not exist. Remove it.`);
    return nearest(above);
  }
}

async function statOf(path: string): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** After a crash the name stays, where folders can be synced: Windows cannot, and its file systems need not. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Takes away the folders that were made for nothing, from the deepest to the first; one that holds something stays. */
async function removeEmpty(folder: string, first: string): Promise<void> {
  for (let at = folder; isInside(at, first); at = dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      return;
    }
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

const existing = (): Error => Object.assign(new Error("exists"), { code: "EEXIST" });

const adviceOf = (file: NewFile): string => file.advice ?? "Choose another path.";

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "the file exists",
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is a file",
  EACCES: "its folder is not writable",
  EPERM: "its folder is not writable",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk's quota is used up",
  EFBIG: "the file is larger than this user may write",
  ENAMETOOLONG: "its path is too long for this system",
  ELOOP: "its path is a ring of links",
  ERR_INVALID_ARG_VALUE: "its path contains a NUL byte",
};

function refuse(file: NewFile, error: unknown): never {
  if (error instanceof OwnFailure) throw error.cause;
  if (isAppError(error)) throw error;
  const reason = REASONS[codeOf(error)];
  if (reason === undefined) throw error;
  throw new AppError("conflict", `Could not write ${file.path}: ${reason}. ${adviceOf(file)}`, { cause: error });
}
