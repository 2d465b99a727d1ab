// The clock of an archive: the last believed time is kept among its settings; lib/kernel/clock.ts decides what to believe.
import { scalar } from "#db/statement.ts";
import type { Connection } from "#db/connection.ts";
import { isClockNews, observeClock, readClockState, stateOfWrite } from "#lib/kernel/clock.ts";
import type { ClockReading, ClockState } from "#lib/kernel/clock.ts";
import type { Host } from "#lib/kernel/host.ts";
import { putSetting, readSetting } from "./setting-rows.ts";
import { defineWrite } from "./write.ts";

const SETTING = "clock";

type Clocked = Connection & { readonly host: Host };

/** Remembers a look at the clocks when an archive is opened. */
export function noteClock(archive: Clocked): void {
  const { state, isNews } = lookAtClocks(archive);
  if (isNews) saveClock(archive, null, state);
}

/** The write of clockHold(). */
export function saveClock(archive: Connection, _batch: unknown, state: ClockState): null {
  putSetting(archive, SETTING, state);
  return null;
}

/** What both clocks say now and what to believe of it; `isNews`: it is worth a write. */
export function lookAtClocks(archive: Clocked) {
  const now: ClockReading = { wall: archive.host.now(), uptime: archive.host.uptime() };
  const before = savedClock(archive);
  const seen = observeClock(before ?? newestWrite(archive), now);
  return { now, ...seen, isNews: isClockNews(before, seen.state) };
}

/** What was saved, when it can be read: a damaged row stops nothing. */
function savedClock(archive: Connection): ClockState | null {
  try {
    return readClockState(readSetting(archive, SETTING));
  } catch {
    return null;
  }
}

/** Of an archive that never noted a time: when it was last written to, for all that its rows say. */
function newestWrite({ sqlite }: Connection): ClockState | null {
  const wall =
    scalar(
      sqlite,
      "integer?",
      `SELECT max(at) FROM (SELECT max(imported_at) AS at FROM sources
       UNION ALL SELECT max(created_at) FROM artifacts WHERE origin <> 'imported')`,
    ).get() ?? null;
  return wall === null ? null : stateOfWrite(wall);
}

export const saveClockWrite = defineWrite("saveClock", saveClock, { freesRoom: true });
