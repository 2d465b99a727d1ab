// Room that is kept for the day when the disk is full: opening the archive and ending artifacts needs rows and registry lines
// written before a single blob can go. The reserve is a file of zeros that is given back a piece at a time, and filled up
// again when there is room.
import { closeSync, fsyncSync, openSync, statfsSync, statSync, truncateSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { writeAll } from "#lib/blobs/sync.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { isNoRoom } from "./is-no-room.ts";

/** The reserve is made only where it takes at most this share of the free room. */
const SHARE = 4;
const PIECE = new Uint8Array(1024 * 1024);

type Location = { readonly dir: string };

const pathOf = ({ dir }: Location): string => join(dir, "ballast");
const sizeOf = (location: Location): number => statSync(pathOf(location), { throwIfNoEntry: false })?.size ?? 0;

/** Fills the reserve up where the disk has room for it; whether it is whole. */
export function ensureReserveFile(location: Location): boolean {
  const size = sizeOf(location);
  const missing = LIMITS.reserveFileBytes - size;
  if (missing <= 0) return true;
  const { bavail, bsize } = statfsSync(location.dir);
  if (bavail * bsize < missing * SHARE) return false;
  const path = pathOf(location);
  let fd: number | null = null;
  try {
    fd = openSync(path, "a", 0o600);
    for (let left = missing; left > 0; left -= PIECE.length)
      writeAll(fd, PIECE.subarray(0, Math.min(left, PIECE.length)));
    fsyncSync(fd);
    return true;
  } catch {
    // No room after all: what others need now is not taken from them.
    if (fd !== null) truncateSync(path, size);
    return false;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Gives a piece of it back; false when there is none left. */
export function releaseReserve(location: Location): boolean {
  const left = sizeOf(location) - PIECE.length;
  try {
    if (left > 0) truncateSync(pathOf(location), left);
    else unlinkSync(pathOf(location));
    return true;
  } catch {
    return false;
  }
}

/** Runs what must work on a full disk too: while it finds no room the reserve is given back, piece by piece. */
export async function withReserve<T>(location: Location, run: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isNoRoom(error) || !releaseReserve(location)) throw error;
    }
  }
}
