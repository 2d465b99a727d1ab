// How long each project keeps its sessions, and how many bytes of them: what a person set, and the deletions that follow from it.
import type { ProjectRetention, RetentionOver } from "#lib/wire/fleet-retention-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { insertAudit } from "../people/audit.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { deleteFamily, retentionBy, type By } from "./delete-family.ts";

export async function listRetention(fleet: Fleet, visible: Projects): Promise<ProjectRetention[]> {
  const { sql, ask } = fleet;
  const rows = await ask(
    () => sql<ProjectRetention[]>`SELECT project, days, bytes FROM project_retention
      WHERE ${inProjects(fleet, visible)} ORDER BY project`,
  );
  return rows.map((row) => ({ ...row }));
}

/** Without a limit the project keeps everything. */
export async function setRetention(
  { sql, ask }: Fleet,
  { project, days, bytes }: ProjectRetention,
  { who, address }: Omit<By, "reason">,
): Promise<ProjectRetention> {
  await ask(() =>
    sql.begin(async (tx) => {
      if (days === null && bytes === null) await tx`DELETE FROM project_retention WHERE project = ${project}`;
      else
        await tx`INSERT INTO project_retention (project, days, bytes) VALUES (${project}, ${days}, ${bytes})
          ON CONFLICT (project) DO UPDATE SET days = excluded.days, bytes = excluded.bytes`;
      const detail = `keeps ${days === null ? "any age" : `${days} days`}, ${bytes === null ? "any size" : `${bytes} bytes`}`;
      await insertAudit(tx, { who, action: "retention", project, session: null, address, detail });
    }),
  );
  return { project, days, bytes };
}

/** Deletions of one round of one project. What is left is for the next. */
const ROUND = 500;

type Due = { readonly family: string; readonly commit_id: string; readonly isOld: boolean };

/** Deletes what is over the limits of its project; how many families. */
export async function applyRetention(fleet: Fleet): Promise<number> {
  let deleted = 0;
  for (const one of await listRetention(fleet, "all"))
    for (const { family, commit_id: commit, isOld } of await dueOf(fleet, one)) {
      const limit = isOld ? `no activity for ${one.days} days` : `over ${one.bytes} bytes`;
      // What came or was written since the question stays.
      if ((await deleteFamily(fleet, { project: one.project, family }, retentionBy(limit), commit)) !== null) deleted++;
    }
  return deleted;
}

export type OverLimits = Readonly<RetentionOver["over"]>;

/** What these limits would delete now. */
export async function sumOverLimits(fleet: Fleet, limits: ProjectRetention): Promise<OverLimits> {
  const { sql, ask } = fleet;
  const [sums] = await ask(
    () => sql<OverLimits[]>`
      SELECT count(*)::integer AS families, coalesce(sum(bytes), 0)::float8 AS bytes,
        coalesce(sum((SELECT count(*) FROM sessions s WHERE s.project = ${limits.project} AND s.family = due.family)), 0)::integer AS sessions
      FROM (${overLimits(fleet, limits)}) due`,
  );
  return { ...sums! };
}

async function dueOf(fleet: Fleet, limits: ProjectRetention): Promise<Due[]> {
  const { sql, ask } = fleet;
  const rows = await ask(
    () => sql<Due[]>`
      SELECT family, commit_id, "isOld" FROM (${overLimits(fleet, limits)}) due ORDER BY at, family LIMIT ${ROUND}`,
  );
  return rows.map((row) => ({ ...row }));
}

/**
 * The families of a project that are over its limits, those with the oldest activity first. Of a session that tells no time its
 * arrival counts. What is written now, or was handed in again, does not go, and counts.
 */
const overLimits = ({ sql }: Fleet, { project, days, bytes }: ProjectRetention) => sql`
  WITH last AS (
    SELECT f.id AS family, f.commit_id, f.bytes, coalesce(
      (SELECT to_timestamp(max(greatest(s.started_at, s.ended_at)) / 1000.0) FROM sessions s WHERE s.project = f.project AND s.family = f.id),
      f.received_at) AS at
    FROM families f WHERE f.project = ${project}),
  ranked AS (
    SELECT family, commit_id, bytes, at,
      ${days}::integer IS NOT NULL AND at < now() - make_interval(days => ${days}::integer) AS "isOld",
      sum(bytes) OVER (ORDER BY at DESC, family ROWS UNBOUNDED PRECEDING) AS total
    FROM last)
  SELECT family, commit_id, bytes, at, "isOld" FROM ranked r
  WHERE ("isOld" OR (${bytes}::bigint IS NOT NULL AND total > ${bytes}::bigint))
    AND NOT EXISTS (SELECT 1 FROM commits c WHERE c.project = ${project} AND c.family = r.family AND c.state IN ('waiting', 'claimed'))
    AND NOT EXISTS (SELECT 1 FROM held_sessions h JOIN sessions s ON s.id = h.session
      WHERE s.project = ${project} AND s.family = r.family AND h.holder IS NOT NULL AND h.until >= clock_timestamp())`;
