// What a fleet has, for people; and whether what its catalogue names is in the bucket.
import type { FleetStats } from "#lib/wire/fleet-schema.ts";
import { fleetVersion } from "#db/fleet/fleet-database.ts";
import { BLOBS } from "#lib/blobs/s3.ts";
import type { Fleet } from "./open-fleet.ts";
import { viewsLeft } from "./outdated-views.ts";
import { objectName, SEGMENTS } from "./stored-objects.ts";

export async function fleetStats(fleet: Fleet): Promise<FleetStats> {
  const { sql, ask } = fleet;
  const views = await viewsLeft(fleet);
  return ask(async () => {
    const { schema } = await fleetVersion(sql);
    const projects = await sql<
      FleetStats["projects"]
    >`SELECT f.project, count(*) AS families, sum(f.bytes)::bigint AS bytes,
      (SELECT count(*) FROM sessions s WHERE s.project = f.project) AS sessions FROM families f GROUP BY 1 ORDER BY 1`;
    const states = await sql<{ state: string; n: number }[]>`SELECT state, count(*) AS n FROM commits GROUP BY 1`;
    const of = (state: string): number => states.find((row) => row.state === state)?.n ?? 0;
    const [objects] = await sql<
      FleetStats["objects"][]
    >`SELECT count(*) AS count, coalesce(sum(bytes), 0)::bigint AS bytes FROM objects`;
    const [rows] = await sql<
      { usage: number; texts: number }[]
    >`SELECT (SELECT count(*) FROM session_usage) AS usage, (SELECT count(*) FROM session_texts) AS texts`;
    return {
      schema,
      projects: [...projects],
      commits: {
        waiting: of("waiting"),
        claimed: of("claimed"),
        done: of("done"),
        superseded: of("superseded"),
        failed: of("failed"),
      },
      objects: { ...objects! },
      usageRows: rows!.usage,
      texts: rows!.texts,
      views,
    };
  });
}

export type FleetCheck = {
  readonly named: number;
  /** Objects that a family names and the bucket does not have, or has with another size. */
  readonly missing: readonly { readonly digest: string; readonly families: readonly string[] }[];
  /** Objects in the bucket that no family and no commit names: what was sent and never committed, and what was replaced. */
  readonly unnamed: number;
  readonly failed: readonly { readonly project: string; readonly id: string; readonly reason: string | null }[];
};

/** Compares the catalogue with the bucket. `repair` forgets objects that are not there, so that their senders send them again. */
export async function checkFleet(fleet: Fleet, repair = false): Promise<FleetCheck> {
  const { sql, ask } = fleet;
  const named = await ask(
    () => sql<{ digest: string; kind: "blob" | "segment"; bytes: number; families: string[] }[]>`
      SELECT o.digest, o.kind, o.bytes, array_agg(f.project || '/' || f.family) FILTER (WHERE f.family IS NOT NULL) AS families
      FROM objects o LEFT JOIN family_objects f ON f.digest = o.digest GROUP BY o.digest, o.kind, o.bytes ORDER BY 1`,
  );
  const sizes = new Map<string, number>();
  for (const prefix of [SEGMENTS, BLOBS])
    for await (const { name, size } of fleet.objects.list(prefix)) sizes.set(name, size);
  const missing = named.filter((one) => sizes.get(objectName(one)) !== one.bytes);
  if (repair && missing.length > 0)
    await ask(() => sql`DELETE FROM objects WHERE digest = ANY(${missing.map(({ digest }) => digest)})`);
  const failed = await ask(
    () =>
      sql<FleetCheck["failed"][number][]>`SELECT project, id, reason FROM commits WHERE state = 'failed' ORDER BY 1, 2`,
  );
  const inUse = new Set(named.filter(({ families }) => families !== null).map(objectName));
  return {
    named: named.length,
    missing: missing.map(({ digest, families }) => ({ digest, families: families ?? [] })),
    unnamed: [...sizes.keys()].filter((name) => !inUse.has(name)).length,
    failed: failed.map((one) => ({ ...one })),
  };
}
