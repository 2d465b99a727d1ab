// Room that is kept for the day when the disk is full: ending artifacts needs rows and registry lines written before a
// single blob can go. The reserve is a file of zeros that is given back first, and made anew when there is room again.
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { writeAll } from "#lib/blobs/sync.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../archive.ts";

type Place = Pick<Archive, "dir">;

/** It is made only where it takes at most this share of the free room. */
const SHARE = 4;
const PIECE = new Uint8Array(1024 * 1024);

const pathOf = ({ dir }: Place): string => join(dir, "ballast");

/** Makes the file where it is not there and the disk has room for it. */
export function ensureReserveFile(archive: Place): boolean {
  const path = pathOf(archive);
  if (existsSync(path)) return true;
  const { bavail, bsize } = statfsSync(archive.dir);
  if (bavail * bsize < LIMITS.reserveFileBytes * SHARE) return false;
  let fd: number | null = null;
  try {
    fd = openSync(path, "wx", 0o600);
    for (let left = LIMITS.reserveFileBytes; left > 0; left -= PIECE.length)
      writeAll(fd, PIECE.subarray(0, Math.min(left, PIECE.length)));
    fsyncSync(fd);
    return true;
  } catch {
    // No room after all: half a reserve is none.
    rmSync(path, { force: true });
    return false;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Gives its room back; false when there is none. */
export function releaseReserveFile(archive: Place): boolean {
  try {
    unlinkSync(pathOf(archive));
    return true;
  } catch {
    return false;
  }
}
