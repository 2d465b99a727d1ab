// Days of a time zone as arithmetic: from when on its clocks stand so far from UTC. A year has two steps, so that a database can sum by
// local days, and a zone can be chosen without reading a call again.
import { fail } from "../errors.ts";

export const DAY_MS = 86_400_000;

/** `from`: ms since 1970; the first step holds for all time before it too. */
export type ZoneStep = { readonly from: number; readonly offsetMs: number };

/** Zones change their clocks for weeks at least: what is sampled so often misses no change. */
const SAMPLE_MS = 7 * DAY_MS;

/** The steps of a zone between two moments. */
export function zoneSteps(timeZone: string, from: number, to: number): readonly ZoneStep[] {
  const offsetAt = offsetsOf(timeZone);
  const steps: ZoneStep[] = [{ from, offsetMs: offsetAt(from) }];
  for (let at = from; at < to; at += SAMPLE_MS) {
    const next = Math.min(to, at + SAMPLE_MS);
    const offsetMs = offsetAt(next);
    const before = steps.at(-1)!.offsetMs;
    if (offsetMs !== before) steps.push({ from: changeBetween(at, next, before, offsetAt), offsetMs });
  }
  return steps;
}

/** The first second at which the clocks no longer stand as before. */
function changeBetween(from: number, to: number, before: number, offsetAt: (ms: number) => number): number {
  let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
}

function offsetsOf(timeZone: string): (ms: number) => number {
  const format = formatOf(timeZone);
  return (ms) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const numeric = "2-digit";
  try {
    return new Intl.DateTimeFormat("en-US", {
      ...{ timeZone, hourCycle: "h23", year: "numeric", month: numeric, day: numeric },
      ...{ hour: numeric, minute: numeric, second: numeric },
    });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    fail("invalid", `"${timeZone}" is not a time zone. Write one like Europe/Berlin or UTC.`);
  }
}

/** The name of a local day: days since 1970, by the zone's own clocks. */
export const dayName = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
