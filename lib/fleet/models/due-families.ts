// After a change of windows or prices: families are looked at in the order of their keys, by one node at a time, and those with a model
// that has other numbers are due. Nodes write the views of those again as they do those of an older version.
import { DUE_VIEWS, VIEWS } from "#lib/archive/exports/views-version.ts";
import { overridesChanged, type ModelOverride } from "#lib/kernel/load/overrides.ts";
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { Fleet } from "../open-fleet.ts";

/** Families that are looked at in one transaction. */
const FAMILIES = 1000;

type Settings = {
  readonly overrides: string;
  readonly was: string;
  readonly next_project: string;
  readonly next_family: string;
};
type Key = { readonly project: string; readonly id: string };

/** Looks at the next families; false where none is left, or another node looks. */
export const markDueFamilies = ({ sql, ask }: Fleet, families = FAMILIES): Promise<boolean> =>
  ask(() =>
    sql.begin(async (tx) => {
      const [settings] = await tx<Settings[]>`SELECT overrides, was, next_project, next_family FROM model_settings
        WHERE next_project IS NOT NULL FOR UPDATE SKIP LOCKED`;
      if (settings === undefined) return false;
      const keys = await tx<Key[]>`SELECT project, id FROM families
        WHERE (project, id) > (${settings.next_project}, ${settings.next_family}) ORDER BY project, id LIMIT ${families}`;
      await markDue(tx, await changedOf(tx, settings, keys));
      const last = keys.length < families ? undefined : keys.at(-1);
      if (last === undefined) await tx`UPDATE model_settings SET was = '[]', next_project = NULL, next_family = NULL`;
      else await tx`UPDATE model_settings SET next_project = ${last.project}, next_family = ${last.id}`;
      return last !== undefined;
    }),
  );

async function changedOf(
  tx: FleetTransaction,
  { overrides, was }: Settings,
  keys: readonly Key[],
): Promise<readonly Key[]> {
  const isChanged = overridesChanged(JSON.parse(was) as ModelOverride[][], JSON.parse(overrides) as ModelOverride[]);
  const models = await tx<(Key & { model: string | null; cwd: string | null })[]>`
    SELECT DISTINCT f.project, f.id, m.model, s.cwd
    FROM unnest(${keys.map(({ project }) => project)}::text[], ${keys.map(({ id }) => id)}::text[]) AS f(project, id)
    JOIN sessions s ON s.project = f.project AND s.family = f.id
    CROSS JOIN LATERAL (SELECT s.model UNION SELECT nullif(u.model, '') FROM session_usage u
      WHERE u.project = s.project AND u.session = s.id) AS m(model)`;
  return models.filter(({ model, cwd }) => isChanged(model, cwd));
}

/** In the order of their keys, as all who lock several. */
async function markDue(tx: FleetTransaction, keys: readonly Key[]): Promise<void> {
  if (keys.length === 0) return;
  await tx`UPDATE families f SET views = least(f.views, ${DUE_VIEWS}::integer), views_attempt = 0, views_until = NULL, views_reason = NULL
    FROM (SELECT project, id FROM families
      WHERE (project, id) IN (SELECT * FROM unnest(${keys.map(({ project }) => project)}::text[], ${keys.map(({ id }) => id)}::text[]))
      ORDER BY project, id FOR UPDATE) due
    WHERE f.project = due.project AND f.id = due.id`;
}

/** Sessions whose views are to be looked at, or written again. */
export async function sessionsLeft({ sql, ask }: Fleet): Promise<number> {
  const [row] = await ask(
    () => sql<{ due: number; unseen: number }[]>`SELECT
      (SELECT count(*) FROM families f JOIN sessions s ON s.project = f.project AND s.family = f.id WHERE f.views < ${VIEWS}) AS due,
      (SELECT count(*) FROM model_settings m, families f JOIN sessions s ON s.project = f.project AND s.family = f.id
        WHERE m.next_project IS NOT NULL AND (f.project, f.id) > (m.next_project, m.next_family) AND f.views >= ${VIEWS}) AS unseen`,
  );
  return row!.due + row!.unseen;
}
