// What ends by time is ended only when the clock can be believed. A clock that was set a year ahead by mistake would end
// everything that has a time, and that cannot be taken back. So a sweep that runs by itself compares the clock with one
// that only counts: where they went apart by more than an hour it ends nothing until the clock has held for an hour.
// A clock that went back ends nothing that it would not have ended; what is ended stays so.

const JUMP_MS = 3_600_000;
const HOLD_MS = 3_600_000;

export class ClockGuard {
  #last: { wall: number; counted: number } | null = null;
  #heldUntil = Number.NEGATIVE_INFINITY;

  /** Why nothing is to be ended now, or null. `counted` is of a clock that nobody sets (milliseconds). */
  reasonToWait(wall: number, counted: number): string | null {
    const last = this.#last;
    this.#last = { wall, counted };
    const jump = last === null ? 0 : wall - last.wall - (counted - last.counted);
    if (jump > JUMP_MS) this.#heldUntil = counted + HOLD_MS;
    return counted < this.#heldUntil
      ? `The clock jumped ahead. Nothing is ended by its time until the clock has held for an hour; plimsoll gc ends it at once.`
      : null;
  }
}
