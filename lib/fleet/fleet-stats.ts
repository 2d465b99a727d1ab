// What a fleet has, for people.
import type { FleetStats } from "#lib/wire/fleet-schema.ts";
import { fleetVersion } from "#db/fleet/fleet-database.ts";
import type { Fleet } from "./open-fleet.ts";
import { viewsLeft } from "./outdated-views.ts";

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
