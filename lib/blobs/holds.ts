// Whether bytes stand at their path already.
import { closeSync, constants, existsSync, fstatSync, futimesSync, openSync, readFileSync } from "node:fs";

/** Whether there is a file at `path` with exactly these bytes. A damaged one is written again, which heals it. */
export function holds(path: string, bytes: Uint8Array): boolean {
  let fd: number;
  try {
    // Nearly always there is none; an exception for each costs more than asking first.
    if (!existsSync(path)) return false;
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return false;
  }
  try {
    const found = fstatSync(fd);
    if (!found.isFile() || found.size !== bytes.length || Buffer.compare(readFileSync(fd), bytes) !== 0) return false;
    // Its age starts anew: gc spares what somebody is about to name again.
    const now = new Date();
    futimesSync(fd, now, now);
    return true;
  } catch {
    return false;
  } finally {
    closeSync(fd);
  }
}
