// What the projects of a fleet may spend, and what they spent of it: the same periods, sums and states as on one machine. There a
// budget is of a folder, here of a project of the fleet, or of all.
import { byPeriod, spendRequest, spentOf } from "#lib/archive/load/list-budgets.ts";
import type { Budget } from "#lib/archive/base/budget-rows.ts";
import { dollars } from "#lib/kernel/load/load-labels.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { BudgetRequest, BudgetRow } from "#lib/wire/budgets-schema.ts";
import { fleetProject } from "#lib/wire/fleet-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { EVERY_PROJECT, insertDeletion, type DeletedBy } from "../people/audit.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { fleetUsage } from "./fleet-usage.ts";

/** Those of the projects that one sees; of all together for whoever sees all. */
export async function fleetBudgets(fleet: Fleet, visible: Projects, now: number): Promise<BudgetRow[]> {
  const { sql, ask } = fleet;
  const rows = await ask(
    () => sql<
      Budget[]
    >`SELECT period, nullif(project, ${EVERY_PROJECT}) AS project, limit_usd AS "limitUsd" FROM budgets
      WHERE ${inProjects(fleet, visible)}`,
  );
  const budgets = await Promise.all(
    [...Map.groupBy(rows, ({ period }) => period)].map(async ([period, own]) => {
      const { since, request } = spendRequest(period, now);
      const [ofAll, ofOne] = [
        own.filter(({ project }) => project === null),
        own.filter(({ project }) => project !== null),
      ];
      const sums = async (some: readonly Budget[], by: object): Promise<BudgetRow[]> =>
        some.length === 0 ? [] : spentOf(some, since, await fleetUsage(fleet, { ...request, ...by }, visible, now));
      // All together are kept as one sum; each project has its own.
      return Promise.all([sums(ofAll, {}), sums(ofOne, { by: "fleet-project" })]);
    }),
  );
  return budgets.flat(2).toSorted(byPeriod);
}

/** Another one of the same period and project takes its place. */
export async function saveFleetBudget(
  { sql, ask }: Fleet,
  { period, project: named, limitUsd }: BudgetRequest,
  by: DeletedBy,
): Promise<void> {
  const project = named === null ? EVERY_PROJECT : fleetProject.safeParse(named).data;
  if (project === undefined) return fail("invalid", `"${named!.slice(0, 80)}" is not a name of a project in a fleet.`);
  if (limitUsd !== null)
    await ask(
      () => sql`INSERT INTO budgets (project, period, limit_usd) VALUES (${project}, ${period}, ${limitUsd})
        ON CONFLICT (project, period) DO UPDATE SET limit_usd = excluded.limit_usd`,
    );
  else
    await ask(() =>
      sql.begin(async (tx) => {
        const [row] = await tx<
          { limit: number }[]
        >`DELETE FROM budgets WHERE project = ${project} AND period = ${period} RETURNING limit_usd AS limit`;
        if (row === undefined)
          return fail(
            "not_found",
            `No budget per ${period}${named === null ? "" : ` of ${named}`}. The page Usage lists them.`,
          );
        return insertDeletion(tx, by, { project, what: `budget of ${dollars(row.limit)}, ${period}` });
      }),
    );
}

/** Projects that have a session: each is a step in the index, however many sessions it has. */
export async function fleetProjects({ sql, ask }: Pick<Fleet, "sql" | "ask">): Promise<string[]> {
  const rows = await ask(
    () => sql<{ project: string }[]>`WITH RECURSIVE known AS (
        SELECT min(project) AS project FROM sessions
        UNION ALL SELECT (SELECT min(project) FROM sessions WHERE project > known.project) FROM known
          WHERE known.project IS NOT NULL)
      SELECT project FROM known WHERE project IS NOT NULL`,
  );
  return rows.map(({ project }) => project);
}
