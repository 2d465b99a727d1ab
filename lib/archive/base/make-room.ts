// Room on a full disk for what frees more of it.
import { statfsSync } from "node:fs";
import type { Connection } from "#db/connection.ts";
import { isNoRoom } from "./is-no-room.ts";
import { releaseReserve } from "./reserve-file.ts";

type Location = Connection & { readonly dir: string };

/** Takes what the log of the database holds into it, and gives its file back; what hinders it is another reader. */
export function shrinkLog({ sqlite }: Connection): void {
  try {
    sqlite.pragma("wal_checkpoint(TRUNCATE)");
  } catch {
    // Without room even for that.
  }
}

/** Makes some room, of the database's log or of the reserve; false when there is none to be made. */
export function makeRoom(location: Location): boolean {
  const before = freeBlocks(location);
  shrinkLog(location);
  return freeBlocks(location) > before || releaseReserve(location);
}

const freeBlocks = ({ dir }: Location): number => statfsSync(dir).bavail;

/** Runs a transaction that frees room, on a full disk too. */
export function freeing<T>(location: Location, run: () => T): T {
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isNoRoom(error) || !makeRoom(location)) throw error;
    }
  }
}
