// Budgets of a fleet at a node's doors: what each project spent by a sum of its rows, and who may see and set them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFolder, testHost, withArchive } from "#lib/archive/testing-archive.ts";
import { fleetNode } from "#lib/fleet/fleet-node.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import { openTestFleet, skippedFor, testFleet, testToken } from "#lib/fleet/testing-fleet.ts";
import { readerOf } from "#lib/fleet/testing-sender.ts";
import { sumDay } from "#lib/fleet/usage-quarters.ts";
import { budgetsAnswer, type BudgetRow } from "#lib/wire/budgets-schema.ts";
import { homeAnswer } from "#lib/wire/home-schema.ts";
import { usageAnswer } from "#lib/wire/usage-schema.ts";
import { withDoors, type DoorServer } from "./testing-http.ts";

const found = await testFleet();
const PATH = "/api/usage/budgets";
const HOUR = 3_600_000;

const NOW = Date.UTC(2026, 0, 5, 12);
/** What was spent when, in hours before. */
const SPENT = [
  { project: "shop", ago: 1, usd: 4, unsure: false },
  { project: "shop", ago: 50, usd: 2, unsure: false },
  { project: "shop", ago: 24 * 20, usd: 100, unsure: false },
  { project: "quay", ago: 2, usd: 1.5, unsure: true },
  { project: "quay", ago: 70, usd: null, unsure: false },
] as const;

const short = ({ period, project, limitUsd, usd, isPartial, state }: BudgetRow) => ({
  ...{ period, project, limitUsd, usd: Number(usd.toPrecision(9)), isPartial, state },
});

describe.skipIf("missing" in found)(`budgets of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
    await fill(fleet);
  });
  afterAll(() => fleet.close());

  const tokenFor = async (project: string | null, scope: "read" | "write" | "admin"): Promise<string> =>
    (await testToken(fleet, { project, scope })).token;

  const atNode = (run: (server: DoorServer) => Promise<void>): Promise<void> =>
    inFolder((dir) =>
      withArchive(
        dir,
        async (archive) => {
          const node = fleetNode({ ...fleet, close: () => Promise.resolve() }, readerOf(archive), 1e9);
          await withDoors(archive, run, undefined, node);
          await node.close();
        },
        testHost(() => NOW),
      ),
    );

  test("are of a project or of all, and each sees those of their own", () =>
    atNode(async (server) => {
      const [all, shop, quay] = [
        await tokenFor(null, "admin"),
        await tokenFor("shop", "admin"),
        await tokenFor("quay", "read"),
      ];
      const put = (token: string, json: object) => server.ask("PUT", PATH, { token, json });
      const list = async (token: string): Promise<object[]> =>
        budgetsAnswer.parse(await (await server.ask("GET", PATH, { token })).json()).budgets.map(short);
      expect(await list(all)).toEqual([]);
      for (const budget of [
        { period: "day", limitUsd: 5 },
        { period: "month", limitUsd: 1000 },
        { period: "day", project: "quay", limitUsd: 1 },
        { period: "total", project: "quay", limitUsd: 100 },
      ])
        expect((await put(all, budget)).status).toBe(200);
      const set = await put(shop, { period: "month", project: "shop", limitUsd: 7 });
      const ofShop = { ...{ period: "month", project: "shop", limitUsd: 7, usd: 6, isPartial: false, state: "near" } };
      expect(budgetsAnswer.parse(await set.json()).budgets.map(short)).toEqual([ofShop]);
      await put(shop, { period: "total", project: "shop", limitUsd: 106 });
      const totalOfShop = {
        ...{ period: "total", project: "shop", limitUsd: 106, usd: 106, isPartial: false, state: "over" },
      };
      const ofQuay = [
        { ...{ period: "day", project: "quay", limitUsd: 1, usd: 1.5, isPartial: true, state: "over" } },
        { ...{ period: "total", project: "quay", limitUsd: 100, usd: 1.5, isPartial: true, state: "under" } },
      ];
      const both = [
        { ...{ period: "day", project: null, limitUsd: 5, usd: 5.5, isPartial: true, state: "over" } },
        ofQuay[0],
        { ...{ period: "month", project: null, limitUsd: 1000, usd: 7.5, isPartial: true, state: "under" } },
        ofShop,
        ofQuay[1],
        totalOfShop,
      ];
      // Before its days are summed by a node, and after.
      for (const isSummed of [false, true]) {
        if (isSummed) while (await sumDay(fleet));
        expect(await list(all)).toEqual(both);
        expect(await list(shop)).toEqual([ofShop, totalOfShop]);
        expect(await list(quay)).toEqual(ofQuay);
      }
      // Usage has all that one sees, the first page those that are near their end.
      const usage = usageAnswer.parse(await (await server.ask("GET", "/api/usage", { token: shop })).json());
      expect(usage.budgets!.map(short)).toEqual([ofShop, totalOfShop]);
      const home = homeAnswer.parse(await (await server.ask("GET", "/api/home", { token: quay })).json());
      expect(home.budgets.map(short)).toEqual([ofQuay[0]]);
      // The groups of the report are what its budgets are spent by.
      const byProject = await server.ask("GET", "/api/usage?period=monthly&by=fleet-project", { token: all });
      const groups = usageAnswer.parse(await byProject.json()).monthly!;
      expect(groups.map(({ month, group, totalCost }) => [month, group, totalCost])).toEqual(
        expect.arrayContaining([
          ["2026-01", "shop", 6],
          ["2025-12", "shop", 100],
        ]) as unknown[],
      );
    }));

  test("are set by admins: of their project, and those of all by those of the fleet", () =>
    atNode(async (server) => {
      await fleet.sql`DELETE FROM budgets`;
      const [all, shop, writer] = [
        await tokenFor(null, "admin"),
        await tokenFor("shop", "admin"),
        await tokenFor("shop", "write"),
      ];
      const put = async (token: string, json: object): Promise<[number, string]> => {
        const answer = await server.ask("PUT", PATH, { token, json });
        return [answer.status, await answer.text()];
      };
      const day = { period: "day", limitUsd: 5 };
      const says = (status: number, text: string) => [status, expect.stringContaining(text) as string];
      expect(await put(writer, { ...day, project: "shop" })).toEqual(says(403, "needs admin"));
      expect(await put(shop, { ...day, project: "quay" })).toEqual(says(403, "You may not manage the project quay."));
      expect(await put(shop, day)).toEqual(says(403, "Only an admin of the fleet"));
      expect(await put(all, { ...day, project: "/home/me/app" })).toEqual(
        says(400, "is not a name of a project in a fleet"),
      );
      expect(await put(all, { period: "total", limitUsd: 5 })).toEqual(says(400, "A total is of one project"));
      expect(await put(shop, { period: "day", project: "shop", limitUsd: null })).toEqual(
        says(404, "No budget per day of shop."),
      );
      expect(await fleet.sql`SELECT 1 FROM budgets`).toHaveLength(0);
      expect((await put(shop, { ...day, project: "shop" }))[0]).toBe(200);
      expect((await put(shop, { ...day, limitUsd: 8, project: "shop" }))[0]).toBe(200);
      expect([...(await fleet.sql`SELECT project, period, limit_usd FROM budgets`)]).toEqual([
        { project: "shop", period: "day", limit_usd: 8 },
      ]);
      expect((await put(shop, { period: "day", project: "shop", limitUsd: null }))[0]).toBe(200);
      expect(await fleet.sql`SELECT 1 FROM budgets`).toHaveLength(0);
    }));
});

async function fill({ sql }: Fleet): Promise<void> {
  for (const [n, { project, ago, usd, unsure }] of SPENT.entries()) {
    const id = `s_${n}`;
    await sql`INSERT INTO sessions ${sql({
      ...{ project, id, family: id, native_id: id, parent: null, format: "codex", agent: "Codex", agent_key: "codex" },
      ...{
        title: id,
        turns: 1,
        calls: 1,
        compactions: 0,
        artifacts: 0,
        own_calls: 1,
        own_tokens: 10,
        own_unsure: unsure,
      },
      ...{ started_at: NOW - ago * HOUR, ended_at: NOW - ago * HOUR, row: sql.json({ id }) },
    })}`;
    await sql`INSERT INTO session_usage ${sql({
      ...{ project, session: id, at: NOW - ago * HOUR, model: "m1", tools: "", calls: 1, input: 5, read: 2 },
      ...{ written: 1, output: 2, reasoning: 0, usd, unsure },
    })}`;
  }
}
