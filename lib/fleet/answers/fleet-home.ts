// The first page of a node: its parts are those of one machine, each answered by the catalogue.
import { homeOf } from "#lib/archive/load/home-answer.ts";
import type { HomeAnswer, HomeRequest } from "#lib/wire/home-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { fleetBudgets } from "./fleet-budgets.ts";
import { fleetFindings } from "./fleet-findings.ts";
import { fleetUsage } from "./fleet-usage.ts";

export function fleetHome(fleet: Fleet, request: HomeRequest, visible: Projects, now: number): Promise<HomeAnswer> {
  const { sql, ask } = fleet;
  return homeOf(
    {
      now,
      usage: (table) => fleetUsage(fleet, table, visible, now),
      findings: (asked) => fleetFindings(fleet, asked, visible, now),
      async lastCall() {
        const [row] = await ask(
          () => sql<{ at: number | null }[]>`SELECT max(ended_at) AS at FROM sessions
            WHERE calls > 0 AND ${inProjects(fleet, visible)}`,
        );
        return row?.at ?? null;
      },
      async avoidable(from, to) {
        const [row] = await ask(
          () => sql<{ usd: number | null; unpriced: number }[]>`
            SELECT sum(CASE WHEN f.saved IS NULL OR (f.saved_from >= ${from} AND f.at < ${to}) THEN f.usd ELSE
                (SELECT sum((q ->> 1)::float8) FROM jsonb_array_elements(f.saved) q
                  WHERE (q ->> 0)::bigint >= ${from} AND (q ->> 0)::bigint < ${to}) END) AS usd,
              count(*) FILTER (WHERE f.usd IS NULL OR f.partial) AS unpriced FROM session_findings f
            LEFT JOIN finding_marks k ON k.project = f.project AND k.fingerprint = f.fingerprint
            WHERE f.at >= ${from} AND coalesce(f.saved_from, f.at) < ${to} AND k.muted_at IS NULL AND ${inProjects(fleet, visible, "f.project")}`,
        );
        return row!;
      },
      budgets: () => fleetBudgets(fleet, visible, now),
    },
    request,
  );
}
