import { expect, test } from "vitest";
import { localDay } from "./usage-periods.ts";
import { DAY_MS, dayName, zoneSteps, type ZoneStep } from "./zone-days.ts";

const dayAt = (steps: readonly ZoneStep[], ms: number): string => {
  const { offsetMs } = steps.findLast(({ from }) => from <= ms) ?? steps[0]!;
  return dayName(Math.floor((ms + offsetMs) / DAY_MS));
};

test("each moment of two years has the day that the zone's clocks show", () => {
  const [from, to] = [Date.UTC(2025, 0, 1), Date.UTC(2027, 0, 1)];
  for (const zone of [
    "UTC",
    "Europe/Berlin",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca",
  ]) {
    const steps = zoneSteps(zone, from, to);
    const wrong: string[] = [];
    for (let ms = from; ms < to; ms += 13 * 3_600_000)
      if (dayAt(steps, ms) !== localDay(ms, zone)) wrong.push(new Date(ms).toISOString());
    expect([zone, wrong]).toEqual([zone, []]);
  }
  expect(zoneSteps("UTC", from, to)).toHaveLength(1);
});

test("clocks change at a second, and a zone that nobody has is refused", () => {
  const steps = zoneSteps("Europe/Berlin", Date.UTC(2026, 0, 1), Date.UTC(2026, 11, 1));
  expect(steps.slice(1).map(({ from }) => new Date(from).toISOString())).toEqual([
    "2026-03-29T01:00:00.000Z",
    "2026-10-25T01:00:00.000Z",
  ]);
  expect(() => zoneSteps("Atlantis", 0, 1)).toThrow(/"Atlantis" is not a time zone/);
});
