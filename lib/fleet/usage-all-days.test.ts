// Usage of all projects together against a sum of each project's own days, whoever summed what at once.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fleet } from "./open-fleet.ts";
import { openTestFleet, skippedFor, testFleet } from "./testing-fleet.ts";

const found = await testFleet();
const DAY = 86_400_000;
const FIGURES = ["calls", "input", "read", "written", "output", "reasoning", "cuts"];

const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const quarter = fc.record({
  hour: fc.nat(23),
  model: oneOf("", "m1", "m2"),
  agent: oneOf("codex", "pi"),
  calls: fc.nat(3),
  usd: oneOf(null, 0.1, 0.2, 0.7, 1e-7, 123_456.789),
  unsure: fc.boolean(),
});
/** What a project's day comes to now, once a node has summed it. */
const change = fc.record({
  project: oneOf("a", "b", "c"),
  day: oneOf(20_000, 20_001),
  quarters: fc.uniqueArray(quarter, {
    maxLength: 4,
    selector: ({ hour, model, agent }) => `${hour} ${model} ${agent}`,
  }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

describe.skipIf("missing" in found)(`usage of all projects${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    if ("missing" in found) throw new Error(found.missing);
    fleet = await openTestFleet(found.address);
  });
  afterAll(() => fleet.close());

  test("is the sum of each project's", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 5 }), async (turns) => {
        await fleet.sql`DELETE FROM usage_quarters`;
        // Nodes sum each project's day one after the other, and those of different projects at once.
        for (const turn of turns)
          await Promise.all(
            [...Map.groupBy(turn, ({ project }) => project).values()].map((own) => replaceAll(fleet, own)),
          );
        const expected = await summed(
          fleet,
          `SELECT cut, at, model, agent, count(*) AS n,
          ${FIGURES.map((name) => `sum(${name})::bigint AS ${name}`).join(", ")}, sum(usd::numeric) AS usd, count(usd) AS priced,
          count(*) FILTER (WHERE unsure) AS unsure FROM usage_days GROUP BY 1, 2, 3, 4`,
        );
        expect(await summed(fleet, "SELECT * FROM usage_all_days")).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });
});

async function replaceAll({ sql }: Fleet, changes: readonly Change[]): Promise<void> {
  for (const { project, day, quarters } of changes)
    await sql.begin(async (tx) => {
      await tx`DELETE FROM usage_quarters WHERE project = ${project} AND at >= ${day * DAY} AND at < ${(day + 1) * DAY}`;
      const rows = quarters.map(({ hour, ...more }) => ({
        ...{ project, at: day * DAY + (hour * DAY) / 24, ...more },
        ...{ input: 5, read: 7, written: 1, output: 3, reasoning: 0, cuts: more.calls % 2 },
      }));
      if (rows.length > 0) await tx`INSERT INTO usage_quarters ${tx(rows)}`;
    });
}

/** Rows in an order of their own; a cost of nothing is 0. */
async function summed({ sql }: Fleet, query: string): Promise<readonly string[]> {
  const rows = await sql.unsafe<Record<string, unknown>[]>(query);
  return rows
    .map((row) => JSON.stringify(Object.entries({ ...row, usd: Number(row["usd"] ?? 0) }).toSorted()))
    .toSorted();
}
