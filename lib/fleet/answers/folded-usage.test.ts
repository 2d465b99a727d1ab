// Usage that the database folds against the rows of all groups, folded by hand.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TableRequest } from "#lib/archive/load/usage-report.ts";
import { usageQuery, type UsageAnswer, type UsageRow } from "#lib/wire/usage-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { openTestFleet, skippedFor, testFleet } from "../testing-fleet.ts";
import { fleetUsage } from "./fleet-usage.ts";

const found = await testFleet();
const DAY = 20_000;
const NOW = (DAY + 40) * 86_400_000;

const oneOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const HOUR = fc.record({
  project: oneOf("a", "b"),
  // Of the last hour of a day, too, and some without a time.
  hour: oneOf(0, DAY * 24, DAY * 24 + 23, DAY * 24 + 30, DAY * 24 + 24 * 20),
  value: oneOf("", "/x", "/y", "/z", "/é", "/ä"),
  model: oneOf("", "m1", "m2"),
  agent: oneOf("codex", "pi"),
  calls: fc.nat(2),
  input: fc.nat(50),
  usd: oneOf(null, 0.25, 0.5, 1),
  unsure: fc.boolean(),
  cuts: fc.nat(1),
});
const REQUEST = fc.record({
  by: oneOf("project", "person", "sender", "model", undefined),
  top: fc.integer({ min: 1, max: 3 }),
  period: oneOf("daily", "weekly", "monthly"),
  timezone: oneOf("UTC", "Europe/Berlin"),
  since: oneOf(undefined, "2024-10-05"),
  agent: oneOf(undefined, "pi"),
  model: oneOf(undefined, "m1", "no model named"),
});

describe.skipIf("missing" in found)(`usage of the heaviest groups${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    if ("missing" in found) throw new Error(found.missing);
    fleet = await openTestFleet(found.address);
  });
  afterAll(() => fleet.close());

  test("is that of all groups, with the others of each period in one row", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(HOUR, { maxLength: 14 }), REQUEST, async (hours, asked) => {
        await fill(fleet, hours);
        const request = usageQuery.parse(asked) as TableRequest;
        const { top: _, ...withoutTop } = request;
        const all = await fleetUsage(fleet, withoutTop, "all", NOW);
        const answer = await fleetUsage(fleet, request, "all", NOW);
        expect(answer.totals).toEqual(all.totals);
        if (request.by === undefined) {
          expect(answer).toEqual(all);
          return;
        }
        const rows = rowsOf(answer, request);
        const whole = rowsOf(all, request);
        const groups = [...Map.groupBy(whole, ({ group }) => group!)].map(([group, own]) => ({ group, ...sum(own) }));
        expect(answer.groups?.map(figures).toSorted(byGroup)).toEqual(groups.map(figures).toSorted(byGroup));
        const kept = keptOf(groups, request.top!);
        expect(rows.filter(({ others }) => others === undefined)).toEqual(
          whole.filter(({ group }) => kept.has(group!)),
        );
        const left = Map.groupBy(
          whole.filter(({ group }) => !kept.has(group!)),
          (row) => nameOf(row, request),
        );
        expect(
          rows
            .filter(({ others }) => others !== undefined)
            .map((row) => [nameOf(row, request), row.others, figures(row)]),
        ).toEqual([...left].map(([name, own]) => [name, own.length, figures(sum(own))]));
      }),
      { numRuns: 150 },
    );
  });
});

const NAMES = { daily: "date", weekly: "week", monthly: "month" } as const;
const rowsOf = (answer: UsageAnswer, { period }: TableRequest): readonly UsageRow[] => answer[period]!;
const nameOf = (row: UsageRow, { period }: TableRequest): string => row[NAMES[period as keyof typeof NAMES]]!;

type Figures = Pick<UsageRow, "calls" | "inputTokens" | "outputTokens" | "totalCost" | "isPartial" | "compactions">;
const figures = ({ calls, inputTokens, outputTokens, totalCost, isPartial, compactions, ...more }: Figures) => ({
  ...("group" in more ? { group: more.group } : {}),
  ...{ calls, inputTokens, outputTokens, totalCost, isPartial, compactions },
});
const sum = (rows: readonly UsageRow[]): Figures => ({
  calls: rows.reduce((all, { calls }) => all + calls, 0),
  inputTokens: rows.reduce((all, { inputTokens }) => all + inputTokens, 0),
  outputTokens: rows.reduce((all, { outputTokens }) => all + outputTokens, 0),
  totalCost: rows.reduce((all, { totalCost }) => all + totalCost, 0),
  isPartial: rows.some(({ isPartial }) => isPartial),
  compactions: rows.reduce((all, { compactions }) => all + (compactions ?? 0), 0),
});

type GroupFigures = Figures & { readonly group: string };
const byGroup = (a: object, b: object): number => ((a as GroupFigures).group < (b as GroupFigures).group ? -1 : 1);

function keptOf(groups: readonly GroupFigures[], top: number): ReadonlySet<string> {
  const first = (figure: (one: GroupFigures) => number): string[] =>
    groups
      .toSorted((a, b) => figure(b) - figure(a) || byGroup(a, b))
      .slice(0, top)
      .map(({ group }) => group);
  return new Set([...first(({ totalCost }) => totalCost), ...first((one) => one.inputTokens + one.outputTokens)]);
}

/** The same rows of every kind, as the hours of some days are summed. */
async function fill(
  { sql }: Fleet,
  hours: readonly (typeof HOUR extends fc.Arbitrary<infer T> ? T : never)[],
): Promise<void> {
  await sql`DELETE FROM usage_hours`;
  // A row is of calls, or of compactions, or of both.
  const figuresOf = ({ calls }: { readonly calls: number }) => ({
    ...{ read: 0, written: 0, output: calls * 3, reasoning: 0 },
    ...(calls === 0 && { input: 0, usd: null, unsure: false, cuts: 1 }),
  });
  const rows = hours.flatMap((one) =>
    ["folder", "person", "sender"].map((kind) => ({ ...one, kind, ...figuresOf(one) })),
  );
  if (rows.length > 0) await sql`INSERT INTO usage_hours ${sql(rows)}`;
}
