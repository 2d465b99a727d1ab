// Whether what is due may be ended now; see clock-guard.ts.
import type { Archive } from "../base/archive-type.ts";
import { isNoRoom } from "../base/is-no-room.ts";
import { write } from "../base/write.ts";
import { DAY_MS, HOUR_MS, lookAtClocks, MOST_MS, saveClockWrite } from "../base/clock-guard.ts";

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
  return isTrusted || aheadMs === null ? null : holdMessage(aheadMs);
}

function holdMessage(aheadMs: number): string {
  const ahead =
    aheadMs >= 2 * DAY_MS ? `${Math.round(aheadMs / DAY_MS)} days` : `${Math.round(aheadMs / HOUR_MS)} hours`;
  const until = aheadMs > MOST_MS ? "until you confirm the clock" : "until the clock has held for an hour";
  return `The clock is ${ahead} ahead of when Plimsoll last ran. Nothing expires ${until}. If the clock is right: plimsoll gc --trust-clock.`;
}
