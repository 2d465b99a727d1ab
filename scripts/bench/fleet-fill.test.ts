// What the bench fills a catalogue with at once is what the triggers and the nodes make of the same rows.
import { afterAll, describe, expect, test } from "vitest";
import { keepCounts } from "#lib/fleet/list/kept-counts.ts";
import { skippedFor, openTestFleet, testFleet } from "#lib/fleet/testing-fleet.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { sumDay } from "#lib/fleet/usage-quarters.ts";
import { fillFleet } from "./fleet-fill.ts";

const found = [await testFleet(), await testFleet()];
const [missing] = found.filter((one) => "missing" in one);
/** The columns of each, in an order of their own. */
const TABLES = {
  ...{
    sessions: "*",
    session_list: "*",
    session_usage: "*",
    session_cuts: "*",
    families: "id, bytes, views",
    usage_dirty: "*",
  },
  ...{
    session_counts: "*",
    session_count_changes: "*",
    session_day_counts: "*",
    usage_quarters: "*",
    usage_days: "*",
    usage_all_days: "*",
    usage_hours: "*",
    session_texts: "session, text, words",
    searched_sessions: "*",
  },
};

describe.skipIf(missing !== undefined)(`a filled catalogue${missing === undefined ? "" : skippedFor(missing)}`, () => {
  const fleets: Fleet[] = [];
  afterAll(() => Promise.all(fleets.map((fleet) => fleet.close())));

  test("is the same past the triggers and through them", { timeout: 120_000 }, async () => {
    const now = Date.UTC(2026, 5, 1);
    for (const [n, one] of found.entries()) {
      if ("missing" in one) throw new Error(one.missing);
      const fleet = await openTestFleet(one.address);
      fleets.push(fleet);
      await fillFleet(fleet, { sessions: 300, now, asWritten: n === 1 });
    }
    const [atOnce, written] = fleets as [Fleet, Fleet];
    while (await sumDay(written));
    while (await keepCounts(written));
    for (const [table, columns] of Object.entries(TABLES)) {
      const rows = ({ sql }: Fleet): Promise<readonly string[]> =>
        sql
          .unsafe(`SELECT ${columns} FROM ${table}`)
          .then((all) => [...all].map((row) => JSON.stringify(rounded(row))).toSorted());
      const [filled, expected] = [await rows(atOnce), await rows(written)];
      expect([table, filled]).toEqual([table, expected]);
      if (!/dirty|changes/.test(table)) expect([table, filled.length > 20]).toEqual([table, true]);
    }
  });
});

/** Sums of fractions in another order differ in their last digits. */
const rounded = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "number" ? Number(value.toPrecision(10)) : value,
    ]),
  );
