// What a crash leaves of a staging area: temporary files below the root, and the marker that says whose they are.
import { readdirSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";

const startedAt = Math.floor(Date.now() - process.uptime() * 1000);

/** Removes the temporary files of processes that are gone; says how many. */
export function sweepLeftovers(root: string): number {
  let removed = 0;
  for (const name of namesIn(root)) {
    const [, area, pid] = /^\.staging-((\d+)-[0-9a-f]+)$/.exec(name) ?? [];
    if (pid === undefined || isWriting(Number(pid), join(root, name))) continue;
    const prefix = `.tmp-${area}-`;
    const folders = [root];
    for (const ab of namesIn(root)) {
      if (ab.length !== 2) continue;
      for (const cd of namesIn(join(root, ab))) folders.push(join(root, ab, cd));
    }
    for (const folder of folders)
      for (const left of namesIn(folder)) if (left.startsWith(prefix) && unlinkQuietly(join(folder, left))) removed++;
    unlinkQuietly(join(root, name));
  }
  return removed;
}

/** Whether the process of a marker lives. Our own number on a marker from before we started is a reused one. */
function isWriting(pid: number, marker: string): boolean {
  if (pid === process.pid) {
    const made = statSync(marker, { throwIfNoEntry: false });
    return made !== undefined && made.mtimeMs >= startedAt;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function unlinkQuietly(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    // It is gone already, which is what was wanted; a file that stays is swept later.
    return false;
  }
}
