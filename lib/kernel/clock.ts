// What ends by time is ended only when the clock can be believed. A clock that was set a year ahead by mistake would end
// everything that has a time, and that cannot be taken back. So the last believed time is kept beside the machine's uptime,
// which nobody sets: where the clock went on by an hour more than the uptime, nothing is ended until the clock has held for
// an hour; where by 30 days more, until a person confirms it. After a restart of the machine the time that it was off
// counts as ahead. A clock that went back ends nothing that it would not have ended.

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const JUMP_MS = HOUR_MS;
const HOLD_MS = HOUR_MS;
/** A jump ahead that a person confirms. */
const MOST_MS = 30 * DAY_MS;
/** A believed time is written again when it is older than this. */
const FRESH_MS = 10 * 60_000;

/** A look at both clocks (milliseconds). */
export type ClockReading = { readonly wall: number; readonly uptime: number };
/** `since`: when the clock was first seen out of step. */
export type ClockState = ClockReading & { readonly since: ClockReading | null };

/** What to believe after a look at the clocks, and how far ahead the clock is while it is not believed. */
export function observeClock(
  state: ClockState | null,
  now: ClockReading,
): { state: ClockState; aheadMs: number | null } {
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
const expectedWall = (from: ClockReading, uptime: number): number => from.wall + Math.max(0, uptime - from.uptime);

/** Of what was written last, where no look at the clocks was saved. */
export const stateOfWrite = (wall: number): ClockState => ({ wall, uptime: Number.MAX_SAFE_INTEGER, since: null });

/** A saved state, when it can be read: a damaged one stops nothing. */
export function readClockState(saved: unknown): ClockState | null {
  const state = saved as ClockState | null | undefined;
  return Number.isFinite(state?.wall) && Number.isFinite(state?.uptime) ? state! : null;
}

/** True when a state is worth a write. */
export function isClockNews(before: ClockState | null, state: ClockState): boolean {
  if (before === null) return true;
  if (before.since?.wall !== state.since?.wall) return true;
  return state.wall - before.wall >= FRESH_MS || state.uptime < before.uptime;
}

/** Why nothing expires while the clock is ahead; `confirm` says how a person confirms it. */
export function clockHoldMessage(aheadMs: number, confirm: string): string {
  const ahead =
    aheadMs >= 2 * DAY_MS ? `${Math.round(aheadMs / DAY_MS)} days` : `${Math.round(aheadMs / HOUR_MS)} hours`;
  const until = aheadMs > MOST_MS ? "until you confirm the clock" : "until the clock has held for an hour";
  return `The clock is ${ahead} ahead of when Plimsoll last ran. Nothing expires ${until}. If the clock is right: ${confirm}.`;
}
