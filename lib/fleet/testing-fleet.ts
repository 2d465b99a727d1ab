// A fleet for tests: a database and a bucket of their own on the real servers, and sessions to send.
import { randomBytes } from "node:crypto";
import { connectFleet, migrateFleet } from "#db/fleet/fleet-database.ts";
import { skippedFor, testBucket, testServices } from "#lib/blobs/testing-services.ts";
import type { CreatedFleetToken, FleetTokenRequest } from "#lib/wire/fleet-people-schema.ts";
import { openFleet, type Fleet, type FleetAddress } from "./open-fleet.ts";
import { createFleetToken } from "./people/fleet-tokens.ts";

export { skippedFor };

export type TestFleet = { readonly address: FleetAddress } | { readonly missing: string };

/** What is there to make one of; no test of it runs otherwise. */
export async function testFleet(): Promise<TestFleet> {
  const { database } = await testServices();
  const bucket = await testBucket();
  const missing = [database, bucket].flatMap((one) => ("missing" in one ? [one.missing] : []));
  if ("missing" in database || "missing" in bucket) return { missing: missing.join("; ") };
  const name = `t_${randomBytes(6).toString("hex")}`;
  const sql = connectFleet(database.url);
  await sql.unsafe(`CREATE DATABASE ${name}`);
  await sql.end();
  return { address: { database: database.url.replace(/\/[^/]*$/, `/${name}`), bucket: bucket.address } };
}

/** Made, migrated and open. */
export async function openTestFleet(address: FleetAddress): Promise<Fleet> {
  const fleet = openFleet(address);
  await fleet.objects.ensure();
  await migrateFleet(fleet.sql);
  return fleet;
}

/** A token that a test begins with: the row of it in the audit log is none of those that the test looks at. */
export async function testToken(fleet: Fleet, request: FleetTokenRequest): Promise<CreatedFleetToken> {
  const made = await createFleetToken(fleet, request, { who: "test", address: "test" });
  await fleet.sql`DELETE FROM audit WHERE who = 'test' AND action = 'token'`;
  return made;
}

/** A small session of Claude Code, one JSON object a line. */
export function sessionRecords(
  id: string,
  cwd: string,
  prompts: readonly string[],
  at = Date.UTC(2026, 4, 31, 10),
): object[] {
  return prompts.flatMap((prompt, n) => {
    const shared = { sessionId: id, cwd, version: "2.0.0", isSidechain: false, userType: "external" };
    const time = (s: number): string => new Date(at + n * 60_000 + s * 1000).toISOString();
    return [
      {
        ...shared,
        type: "user",
        uuid: `${id}-u${n}`,
        parentUuid: n === 0 ? null : `${id}-a${n - 1}`,
        timestamp: time(0),
        message: { role: "user", content: prompt },
      },
      {
        ...{
          ...shared,
          type: "assistant",
          uuid: `${id}-a${n}`,
          parentUuid: `${id}-u${n}`,
          timestamp: time(5),
          requestId: `r-${id}-${n}`,
        },
        message: {
          ...{
            id: `m-${id}-${n}`,
            type: "message",
            role: "assistant",
            model: "claude-sonnet-4-5",
            stop_reason: "end_turn",
          },
          content: [{ type: "text", text: `Answer ${n} to ${prompt}` }],
          usage: {
            input_tokens: 100 + n,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 1000 * n,
            output_tokens: 20,
          },
        },
      },
    ];
  });
}
