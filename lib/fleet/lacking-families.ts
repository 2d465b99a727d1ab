// What a sender has sent, and the fleet lacks: a check has found it missing, or the database is older than the sending.
import type { MissingAnswer } from "#lib/wire/fleet-schema.ts";
import type { Fleet } from "./open-fleet.ts";
import { BY_RETENTION, tombstonesOf, tombstoneText } from "./retention/tombstones.ts";

/** Those of the sent sessions that are to be sent again. What was deleted is not lacking, nor what no node could read. */
export async function lackingOf({ sql, ask }: Fleet, project: string, sessions: readonly string[]): Promise<string[]> {
  if (sessions.length === 0) return [];
  const isNoted = (digest: string) =>
    sql`EXISTS (SELECT 1 FROM objects o WHERE o.digest = ${sql.unsafe(digest)} AND o.going_at IS NULL)`;
  const rows = await ask(
    () => sql<{ id: string; isKnown: boolean }[]>`
      WITH sent AS MATERIALIZED (SELECT w.id, coalesce(s.family, w.id) AS family
        FROM unnest(${[...sessions]}::text[]) w (id) LEFT JOIN sessions s ON s.project = ${project} AND s.id = w.id),
      known AS MATERIALIZED (SELECT id, family,
          EXISTS (SELECT 1 FROM families f WHERE f.project = ${project} AND f.id = sent.family)
          OR EXISTS (SELECT 1 FROM commits c WHERE c.project = ${project} AND c.family = sent.id AND c.state IN ('waiting', 'claimed')) AS is_known
        FROM sent WHERE NOT EXISTS (SELECT 1 FROM deleted_sessions d WHERE d.project = ${project} AND d.session = sent.id))
      SELECT id, is_known AS "isKnown" FROM known WHERE NOT is_known OR EXISTS (SELECT 1 FROM family_objects n
        WHERE n.project = ${project} AND n.family = known.family AND NOT ${isNoted("n.digest")})`,
  );
  const unknown = rows.filter(({ isKnown }) => !isKnown).map(({ id }) => id);
  if (unknown.length === 0) return rows.map(({ id }) => id);
  // What could not be read is sent again where an object of it is what was missing.
  const failed = await ask(
    () => sql<
      { family: string }[]
    >`SELECT family FROM commits WHERE project = ${project} AND state = 'failed' AND family = ANY(${unknown})
      AND NOT EXISTS (SELECT 1 FROM jsonb_path_query(body, '$.entries.*[*]') one WHERE NOT ${isNoted("(one ->> 'digest')")})`,
  );
  const isFailed = new Set(failed.map(({ family }) => family));
  return rows.filter(({ id }) => !isFailed.has(id)).map(({ id }) => id);
}

/** Those that were deleted in the fleet. One that goes on, and waits to be read, is not. */
export async function goneOf(
  { sql, ask }: Fleet,
  project: string,
  sessions: readonly string[],
): Promise<MissingAnswer["gone"]> {
  const found = await ask(() => tombstonesOf(sql, sessions, [project]));
  if (found.length === 0) return [];
  const waiting = await ask(
    () => sql<{ family: string }[]>`SELECT family FROM commits WHERE project = ${project}
      AND family = ANY(${found.map(({ session }) => session)}) AND state IN ('waiting', 'claimed')`,
  );
  const isComing = new Set(waiting.map(({ family }) => family));
  return found
    .filter(({ session }) => !isComing.has(session))
    .map((one) => ({ id: one.session, reason: tombstoneText(one), isOver: one.by === BY_RETENTION }));
}
