// Which days of UTC are summed before and after a zone's midnight: of each moment the local day is the one that its own clocks say.
import { expect, test } from "vitest";
import { zoneSteps } from "#lib/kernel/load/zone-days.ts";
import { keptDays } from "./usage-quarters.ts";

const DAY = 86_400_000;
const HALF_HOUR = 1_800_000;
const [FROM, TO] = [Date.UTC(2019, 0, 1), Date.UTC(2027, 0, 1)];

/** True where days on which the clocks are changed are summed by quarters: they have two midnights, or are changed at one. */
const ZONES: Readonly<Record<string, boolean>> = {
  UTC: false,
  "Europe/Berlin": false,
  "Europe/London": true,
  "America/New_York": false,
  "America/Los_Angeles": false,
  "Australia/Sydney": false,
  "Asia/Kolkata": false,
  "America/Sao_Paulo": true,
  "America/Havana": true,
  "Asia/Beirut": true,
  "Africa/Casablanca": true,
};

for (const [zone, hasGaps] of Object.entries(ZONES))
  test(`the days of ${zone}`, () => {
    const local = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
    const days = keptDays(zoneSteps(zone, FROM, TO));
    const missing: string[] = [];
    for (let day = FROM; day < TO; day += DAY) {
      const kept = days.filter(({ from, to }) => day >= from && (to === null || day < to));
      expect(kept.length).toBeLessThanOrEqual(1);
      if (kept.length === 0) missing.push(new Date(day).toISOString().slice(0, 10));
      for (const { cut } of kept)
        for (let at = day; at < day + DAY; at += HALF_HOUR) {
          const written = at < day + cut * HALF_HOUR ? day : day + cut * HALF_HOUR;
          if (local.format(written) !== local.format(at))
            expect.unreachable(`${new Date(at).toISOString()} is summed as of ${local.format(written)}`);
        }
    }
    expect([zone, missing.length > 0]).toEqual([zone, hasGaps]);
    // Two changes a year, and four in Casablanca, where they are changed for Ramadan.
    expect(missing.length).toBeLessThanOrEqual(32);
  });
