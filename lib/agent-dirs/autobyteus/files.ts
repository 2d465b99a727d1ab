// The few ways in which a memory folder is read and changed. Synchronous, as the design's store is: what returns is on the
// disk. A file is only ever appended to, or replaced whole under its name.
import { createHash, randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import type { BigIntStats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";

const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** What tells that nobody wrote to a file: size, time of change in nanoseconds, and which file it is. Null: no file. */
export type Stamp = string | null;

export type Read = { readonly bytes: Buffer; readonly stamp: string };

export function stampOf(path: string): Stamp {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : stampFrom(stat);
}

const stampFrom = ({ size, mtimeNs, ino }: BigIntStats): string => `${size} ${mtimeNs} ${ino}`;

/** A regular file with its stamp, or null when there is none. What changes while it is read is read again. */
export function readStamped(path: string): Read | null {
  for (let tries = 0; tries < 5; tries++) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (!stat.isFile()) fail("invalid", `${path} is not a regular file. Replace it by the file itself.`);
    if (stat.size > LIMITS.agentFileBytes)
      fail("too_large", `${path} has ${stat.size} bytes; up to ${LIMITS.agentFileBytes} are read.`);
    const stamp = stampOf(path);
    const bytes = readWhole(path);
    if (bytes === null) continue;
    if (stamp !== null && stamp === stampOf(path) && bytes.length === stat.size) return { bytes, stamp };
  }
  return fail("conflict", `${path} keeps changing. Read it again when its agent has stopped.`);
}

function readWhole(path: string): Buffer | null {
  const file = openIfThere(path);
  if (file === null) return null;
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

export const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

/** Makes a folder and those above it; tells whether it was made. */
export function makeFolder(path: string, mode = 0o777): boolean {
  const made = mkdirSync(path, { recursive: true, mode });
  if (made === undefined) return false;
  syncFolder(dirname(made));
  return true;
}

/**
 * Adds bytes to the end, synced; makes the file when there is none. `expected` is the stamp that it must have before.
 * Lines are told apart by a newline: when the last byte is none, one is written first.
 */
export function appendLines(path: string, bytes: Uint8Array, expected: Stamp): string {
  const isNew = expected === null;
  const flags = constants.O_RDWR | constants.O_APPEND | NO_LINK | (isNew ? constants.O_CREAT | constants.O_EXCL : 0);
  const file = openSync(path, flags, 0o644);
  try {
    const stat = fstatSync(file, { bigint: true });
    if (!isNew && stampFrom(stat) !== expected) changed(path);
    const last = Buffer.alloc(1);
    const size = Number(stat.size);
    const isTorn = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    const added = isTorn ? Buffer.concat([Buffer.from("\n"), bytes]) : Buffer.from(bytes);
    appendAll(file, added, isNew ? path : null);
    if (isNew) syncFolder(dirname(path));
    const now = fstatSync(file, { bigint: true });
    if (Number(now.size) !== size + added.length) changed(path);
    return stampFrom(now);
  } finally {
    closeSync(file);
  }
}

/** Adds bytes as they are, synced. */
export function appendBytes(path: string, bytes: Uint8Array): void {
  const isNew = stampOf(path) === null;
  const file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | NO_LINK, 0o644);
  try {
    appendAll(file, bytes, isNew ? path : null);
  } finally {
    closeSync(file);
  }
  if (isNew) syncFolder(dirname(path));
}

/** Adds all of the bytes, synced, or none: half a line on a full disk would be one that its agent cannot read. `made`: a file that goes again. */
function appendAll(file: number, bytes: Uint8Array, made: string | null): void {
  const { size } = fstatSync(file);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(file, bytes, written, bytes.length - written);
    fsyncSync(file);
  } catch (error) {
    // Nobody else has written behind it.
    if (fstatSync(file).size === size + written) ftruncateSync(file, size);
    if (made !== null && fstatSync(file).size === 0) unlinkIfThere(made);
    throw error;
  }
}

const TEMPORARY = ".plimsoll.tmp";

/** Our own temporary names: one that a killed writer left is taken again. */
const temporaryOf = (path: string): string => join(dirname(path), `.${basename(path)}${TEMPORARY}`);
export const isTemporary = (name: string): boolean => name.startsWith(".") && name.endsWith(TEMPORARY);

/**
 * Puts these bytes in the place of a file, synced; its mode stays. `check` is asked right before the swap. What somebody
 * still wrote to the old file between the check and the swap is added to the new one.
 */
export function swapFile(path: string, bytes: Uint8Array, check: () => void = () => undefined): Stamp {
  const temporary = temporaryOf(path);
  unlinkIfThere(temporary);
  try {
    writeNew(temporary, bytes);
  } catch (error) {
    // What a full disk has of it takes the room that others need.
    unlinkIfThere(temporary);
    throw error;
  }
  const old = openIfThere(path);
  try {
    const size = old === null ? 0 : fstatSync(old).size;
    chmodSync(temporary, old === null ? 0o644 : fstatSync(old).mode & 0o777);
    try {
      check();
    } catch (error) {
      unlinkIfThere(temporary);
      throw error;
    }
    // Taken before anybody else can see the file: what is written to it after the swap is not ours.
    const stamp = stampOf(temporary);
    renameSync(temporary, path);
    syncFolder(dirname(path));
    return old !== null && rescue(old, size, path) ? stampOf(path) : stamp;
  } finally {
    if (old !== null) closeSync(old);
  }
}

function writeNew(path: string, bytes: Uint8Array): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINK, 0o600);
  try {
    writeAll(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function rescue(old: number, size: number, path: string): boolean {
  const late = Buffer.alloc(Math.max(0, fstatSync(old).size - size));
  if (late.length === 0) return false;
  readSync(old, late, 0, late.length, size);
  appendBytes(path, late);
  return true;
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | NO_LINK | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

export function removeFile(path: string): void {
  unlinkIfThere(path);
  syncFolder(dirname(path));
}

function syncFolder(path: string): void {
  // Windows cannot sync a folder; NTFS journals the names itself.
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

export const changed = (path: string): never =>
  fail("conflict", `${path} was changed by another program. Read the folder again first.`);

/** A new name under a folder of ours. */
export const freshName = (): string => randomUUID();

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at);
}
