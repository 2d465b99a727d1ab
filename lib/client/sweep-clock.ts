// The clock of a folder store: clock.json beside the sessions keeps the last believed time, so that a clock that was set
// ahead by mistake deletes nothing (lib/kernel/clock.ts decides). A file that is lost costs an hour's wait at most.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clockHoldMessage, isClockNews, observeClock, readClockState, stateOfWrite } from "#lib/kernel/clock.ts";
import type { ClockState } from "#lib/kernel/clock.ts";
import { TEMPORARY } from "./store-files.ts";

export const CLOCK_FILE = "clock.json";

type Clocks = {
  readonly now: () => number;
  readonly uptime: () => number;
  /** When something was last stored, or null. */
  readonly newestWrite: () => number | null;
};

export class SweepClock {
  readonly #file: string;
  readonly #clocks: Clocks;

  constructor(base: string, clocks: Clocks) {
    this.#file = join(base, CLOCK_FILE);
    this.#clocks = clocks;
  }

  /** Why nothing is to expire now, or null. Remembers this look; `isTrusted`: a person says that the clock is right. */
  hold(isTrusted: boolean): string | null {
    const now = { wall: this.#clocks.now(), uptime: this.#clocks.uptime() };
    const saved = this.#read();
    const { state, aheadMs } = observeClock(saved ?? this.#stateOfStore(), now);
    if (isTrusted) this.#write({ ...now, since: null });
    else if (isClockNews(saved, state)) this.#write(state);
    return isTrusted || aheadMs === null ? null : clockHoldMessage(aheadMs, "cleanup_expired({ trustClock: true })");
  }

  #stateOfStore(): ClockState | null {
    const wall = this.#clocks.newestWrite();
    return wall === null ? null : stateOfWrite(wall);
  }

  #read(): ClockState | null {
    try {
      return readClockState(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch {
      return null;
    }
  }

  /** Whole or not at all. Where nothing can be written, what was believed before is still there. */
  #write(state: ClockState): void {
    const temporary = `${this.#file}.${TEMPORARY}${process.pid}`;
    try {
      rmSync(temporary, { force: true });
      writeFileSync(temporary, JSON.stringify(state), { mode: 0o600, flag: "wx" });
      renameSync(temporary, this.#file);
    } catch {
      rmSync(temporary, { force: true });
    }
  }
}
