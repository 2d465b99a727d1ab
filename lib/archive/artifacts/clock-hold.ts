// Whether what is due may be ended now; see lib/kernel/clock.ts.
import { clockHoldMessage } from "#lib/kernel/clock.ts";
import type { Archive } from "../base/archive-type.ts";
import { isNoRoom } from "../base/is-no-room.ts";
import { write } from "../base/write.ts";
import { lookAtClocks, saveClockWrite } from "../base/clock-guard.ts";

/** Why nothing is to be ended by its time now, or null. `save` remembers this look. */
export async function clockHold(
  archive: Archive,
  options: { save: boolean; isTrusted?: boolean },
): Promise<string | null> {
  const { now, state, isNews, aheadMs } = lookAtClocks(archive);
  const isTrusted = options.isTrusted === true;
  if (options.save && (isTrusted || isNews))
    try {
      await write(archive, saveClockWrite, isTrusted ? { ...now, since: null } : state);
    } catch (error) {
      // The time that was believed before is still there.
      if (!isNoRoom(error)) throw error;
    }
  return isTrusted || aheadMs === null ? null : clockHoldMessage(aheadMs, "plimsoll gc --trust-clock");
}
