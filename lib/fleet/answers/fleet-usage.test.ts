// Usage of a fleet is that of the machine that its sessions came from: by every period, group and zone.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { importPaths } from "#lib/archive/import/import-paths.ts";
import { listUnused } from "#lib/archive/load/list-unused.ts";
import { usageReport, type TableRequest } from "#lib/archive/load/usage-report.ts";
import { hostPriced, inFolder, NOW, withArchive } from "#lib/archive/testing-archive.ts";
import { skippedFor } from "#lib/blobs/testing-services.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { USAGE_GROUPS, usageQuery, type UsageAnswer } from "#lib/wire/usage-schema.ts";
import type { FleetNode } from "../fleet-node.ts";
import type { Fleet } from "../open-fleet.ts";
import { openTestFleet, testFleet } from "../testing-fleet.ts";
import { readerOf, sendAll } from "../testing-sender.ts";
import { sumDay } from "../usage-quarters.ts";

const found = await testFleet();
const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");
/** With sub-agents, compactions, a cost of the agent's own, MCP servers and models without a price. */
const FORMATS = /^(claude-code|codex-synthetic|cline|goose|copilot|opencode)-/;
/** Codex' models have no price. */
const HOST = hostPriced((model) =>
  model.startsWith("gpt")
    ? null
    : completeRates({ uncached: 1e-6, read: 1e-7, write: 2e-6, write1h: 2e-6, output: 4e-6 }),
);

/** Sums of fractions in another order differ in their last digits; and which session of a tie is first is nobody's choice. */
const rounded = (answer: UsageAnswer): unknown =>
  JSON.parse(JSON.stringify(answer), (_, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value,
  );

describe.skipIf("missing" in found)(`usage of a fleet${skippedFor(found)}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openTestFleet((found as Extract<typeof found, { address: object }>).address);
  });
  afterAll(() => fleet.close());

  test("is that of the machine that sent it, before its days are summed and after", { timeout: 300_000 }, () =>
    inFolder((dir) =>
      withArchive(
        join(dir, "laptop"),
        (laptop) =>
          withArchive(
            join(dir, "node"),
            async (cache) => {
              await importPaths(
                laptop,
                readdirSync(FIXTURES).flatMap((name) => (FORMATS.test(name) ? [join(FIXTURES, name)] : [])),
              );
              await readerOf(laptop).judge(laptop.sqlite.prepare("SELECT id FROM sessions").pluck().all() as string[]);
              const node = await sendAll(fleet, laptop, cache);
              await compareAll(laptop, node);
              expect(await fleet.sql`SELECT 1 FROM usage_dirty LIMIT 1`).toHaveLength(1);
              while (await sumDay(fleet));
              expect(await fleet.sql`SELECT 1 FROM usage_dirty LIMIT 1`).toHaveLength(0);
              await compareAll(laptop, node);
              expect(await node.answers.unused(3650, "all")).toEqual(await listUnused(laptop, 3650, NOW));
              // What one may not see is in no sum.
              const other = await node.answers.usage(usageQuery.parse({ facets: "1" }) as TableRequest, ["elsewhere"]);
              expect(other).toMatchObject({ daily: [], totals: { calls: 0 }, facets: { agents: [] } });
              // A session that goes takes its calls along.
              await fleet.sql`DELETE FROM session_usage WHERE session IN (SELECT session FROM session_usage LIMIT 1)`;
              const before = await node.answers.usage(usageQuery.parse({}) as TableRequest, "all");
              while (await sumDay(fleet));
              const after = await node.answers.usage(usageQuery.parse({}) as TableRequest, "all");
              expect(rounded(after)).toEqual(rounded(before));
            },
            HOST,
          ),
        HOST,
      ),
    ),
  );
});

async function compareAll(laptop: Archive, node: FleetNode): Promise<void> {
  const requests = [
    ...["UTC", "Asia/Kathmandu", "America/New_York"].map((timezone) => ({ timezone, facets: "1" })),
    ...USAGE_GROUPS.map((by) => ({ by })),
    ...(["weekly", "monthly", "sessions"] as const).map((period) => ({ period, by: "model", timezone: "Asia/Tokyo" })),
    { since: "2026-05-31", until: "2026-05-31", by: "project" },
    { agent: "codex", by: "tool" },
    { project: "/home/user/webshop", model: "claude-opus-4-5" },
  ];
  for (const request of requests) {
    const asked = usageQuery.parse({ timezone: "UTC", ...request }) as TableRequest;
    const own = await usageReport(laptop, asked);
    expect([request, rounded(await node.answers.usage(asked, "all"))]).toEqual([request, rounded(own)]);
  }
  const { totals } = await usageReport(laptop, usageQuery.parse({}) as TableRequest);
  expect([totals.calls > 20, totals.isPartial, totals.compactions! > 0]).toEqual([true, true, true]);
}
