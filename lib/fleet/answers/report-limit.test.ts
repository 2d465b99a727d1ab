import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fleet } from "../open-fleet.ts";
import { openTestFleet, skippedFor, testFleet } from "../testing-fleet.ts";
import { FOUND_LIST, withinTime } from "./report-limit.ts";

const found = await testFleet();

describe.skipIf("missing" in found)(`a report that takes too long${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    if ("missing" in found) throw new Error(found.missing);
    fleet = await openTestFleet(found.address);
  });
  afterAll(() => fleet.close());

  test("is ended in the database and says what to do; the connection waits as long as ever for others", async () => {
    const slow = withinTime(fleet, (sql) => sql`SELECT pg_sleep(600)`, undefined, 50);
    await expect(slow).rejects.toMatchObject({
      code: "timeout",
      message: "This report took the database more than 1 s. Choose fewer days, or another grouping.",
    });
    const found = withinTime(fleet, (sql) => sql`SELECT pg_sleep(600)`, FOUND_LIST, 50);
    await expect(found).rejects.toThrow("This search took the database more than 1 s. Search for rarer words.");
    const asleep =
      await fleet.sql`SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(600)%'`;
    expect(asleep).toEqual([]);
    const limits = await Promise.all(Array.from({ length: 16 }, () => fleet.sql`SHOW statement_timeout`));
    expect(new Set(limits.map(([row]) => row!["statement_timeout"]))).toEqual(new Set(["0"]));
  });

  test("answers where it is in time, and what else fails flies on", async () => {
    expect(await withinTime(fleet, (sql) => sql`SELECT 7 AS n`)).toEqual([{ n: 7 }]);
    await expect(withinTime(fleet, (sql) => sql`SELECT 1 / 0`)).rejects.toMatchObject({ code: "22012" });
    await expect(withinTime(fleet, (sql) => sql`CREATE TABLE written (n int)`)).rejects.toMatchObject({
      code: "25006",
    });
  });
});
