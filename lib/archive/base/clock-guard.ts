// What ends by time is ended only when the clock can be believed. A clock that was set a year ahead by mistake would end
// everything that has a time, and that cannot be taken back. So the last believed time is kept in the archive beside the
// machine's uptime, which nobody sets: where the clock went on by an hour more than the uptime, nothing is ended until the
// clock has held for an hour; where by 30 days more, until a person confirms it. After a restart of the machine the time
// that it was off counts as ahead. A clock that went back ends nothing that it would not have ended.
import type { Connection } from "#db/connection.ts";
import type { Host } from "#lib/kernel/host.ts";
import { plucked } from "./statement-cache.ts";
import { putSetting, readSetting } from "./setting-rows.ts";
import { defineWrite } from "./write.ts";

const SETTING = "clock";
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const JUMP_MS = HOUR_MS;
const HOLD_MS = HOUR_MS;
/** A jump ahead that a person confirms. */
export const MOST_MS = 30 * DAY_MS;
/** A believed time is written again when it is older than this. */
const FRESH_MS = 10 * 60_000;

type Clocked = Connection & { readonly host: Host };

/** A look at both clocks (milliseconds). */
export type Reading = { readonly wall: number; readonly uptime: number };
/** `since`: when the clock was first seen out of step. */
export type ClockState = Reading & { readonly since: Reading | null };

/** What to believe after a look at the clocks, and how far ahead the clock is while it is not believed. */
export function observeClock(state: ClockState | null, now: Reading): { state: ClockState; aheadMs: number | null } {
  const believed = { state: { ...now, since: null }, aheadMs: null };
  if (state === null) return believed;
  const ahead = now.wall - expectedWall(state, now.uptime);
  if (Math.abs(ahead) <= JUMP_MS) return believed;
  const { since } = state;
  const isSame =
    since !== null && now.uptime >= since.uptime && Math.abs(now.wall - expectedWall(since, now.uptime)) <= JUMP_MS;
  const first = isSame ? since : now;
  if (now.uptime - first.uptime >= HOLD_MS && ahead <= MOST_MS) return believed;
  return { state: { ...state, since: first }, aheadMs: ahead > 0 ? ahead : null };
}

/** Less uptime than before: the machine was started anew, and how long it was off is not known. */
const expectedWall = (from: Reading, uptime: number): number => from.wall + Math.max(0, uptime - from.uptime);

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
  const now: Reading = { wall: archive.host.now(), uptime: archive.host.uptime() };
  const before = savedClock(archive);
  const seen = observeClock(before ?? newestWrite(archive), now);
  return { now, ...seen, isNews: isNews(before, seen.state) };
}

/** What was saved, when it can be read: a damaged row stops nothing. */
function savedClock(archive: Connection): ClockState | null {
  try {
    const saved = readSetting(archive, SETTING) as ClockState | null;
    return Number.isFinite(saved?.wall) && Number.isFinite(saved?.uptime) ? saved : null;
  } catch {
    return null;
  }
}

/** Of an archive that never noted a time: when it was last written to, for all that its rows say. */
function newestWrite({ sqlite }: Connection): ClockState | null {
  const wall = plucked(
    sqlite,
    `SELECT max(at) FROM (SELECT max(imported_at) AS at FROM sources
       UNION ALL SELECT max(created_at) FROM artifacts WHERE origin <> 'imported')`,
  ).get() as number | null;
  return wall === null ? null : { wall, uptime: Number.MAX_SAFE_INTEGER, since: null };
}

function isNews(before: ClockState | null, state: ClockState): boolean {
  if (before === null) return true;
  if (before.since?.wall !== state.since?.wall) return true;
  return state.wall - before.wall >= FRESH_MS || state.uptime < before.uptime;
}

export const saveClockWrite = defineWrite("saveClock", saveClock, { freesRoom: true });
