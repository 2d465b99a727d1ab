// What of the catalogue does not belong together, and what is mended of it. Each is a question that finds nothing in a sound catalogue.
import type { FleetProblem } from "#lib/wire/fleet-check-schema.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { familyOf, objectsOf } from "../commits.ts";
import { insertObjectNames } from "../object-names.ts";
import type { Fleet } from "../open-fleet.ts";
import { lockAgainstDeletion, lockForDeletion } from "../retention/tombstones.ts";
import { clearSessions, lockFamily, VIEW_TABLES } from "../view-rows.ts";

/** So many of a kind are told, and mended, at once. */
const MOST = 1000;

type Key = { readonly project: string; readonly id: string };

export async function catalogueProblems(fleet: Fleet, repair: boolean): Promise<FleetProblem[]> {
  const problems: FleetProblem[] = [];
  const add = (kind: FleetProblem["kind"], { project, id }: Key, text: string, isRepaired: boolean): void =>
    void problems.push({ kind, ref: `${project}/${id}`, text, isRepaired });

  for (const one of await familiesWithoutSessions(fleet)) {
    if (repair) await readAgain(fleet, one);
    add("family without sessions", one, "No session of this family is listed. A node can read it again.", repair);
  }
  for (const one of await sessionsWithoutFamily(fleet)) {
    if (repair) await removeSession(fleet, one);
    add("session without family", one, "This session is listed, and nothing is there to open it from.", repair);
  }
  for (const one of await deletedSessions(fleet)) {
    if (repair) await removeSession(fleet, one);
    add("deleted session", one, "This session was deleted, and is listed.", repair);
  }
  for (const table of VIEW_TABLES)
    for (const { rows, ...one } of await viewsWithoutSession(fleet, table)) {
      if (repair) await removeSession(fleet, one);
      add("views without session", one, `${rows} rows of ${table} belong to no session.`, repair);
    }
  for (const one of await wronglyNamed(fleet)) {
    if (repair) await nameAgain(fleet, one);
    add("names of objects", one, "The family's names of objects are not those of its content.", repair);
  }
  for (const { text, ...one } of await brokenSessions(fleet)) add("agent's session", one, text, false);
  return problems;
}

const familiesWithoutSessions = ({ sql, ask }: Fleet): Promise<Key[]> =>
  ask(
    () => sql<Key[]>`SELECT f.project, f.id FROM families f
      WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.project = f.project AND s.family = f.id) ORDER BY 1, 2 LIMIT ${MOST}`,
  );

const sessionsWithoutFamily = ({ sql, ask }: Fleet): Promise<Key[]> =>
  ask(
    () => sql<Key[]>`SELECT s.project, s.id FROM sessions s
      WHERE NOT EXISTS (SELECT 1 FROM families f WHERE f.project = s.project AND f.id = s.family) ORDER BY 1, 2 LIMIT ${MOST}`,
  );

const deletedSessions = ({ sql, ask }: Fleet): Promise<Key[]> =>
  ask(
    () => sql<
      Key[]
    >`SELECT s.project, s.id FROM sessions s JOIN deleted_sessions d ON d.project = s.project AND d.session = s.id
      ORDER BY 1, 2 LIMIT ${MOST}`,
  );

const viewsWithoutSession = ({ sql, ask }: Fleet, table: string): Promise<(Key & { rows: number })[]> =>
  ask(
    () => sql<(Key & { rows: number })[]>`SELECT v.project, v.session AS id, count(*) AS rows FROM ${sql(table)} v
      WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.project = v.project AND s.id = v.session) GROUP BY 1, 2 ORDER BY 1, 2 LIMIT ${MOST}`,
  );

/** Families and tombstones whose names are not those of their bodies, and names of none. */
const wronglyNamed = ({ sql, ask }: Fleet): Promise<Key[]> =>
  ask(
    () => sql<Key[]>`
      WITH bodies AS (SELECT project, id, body FROM families UNION ALL
        SELECT project, family, body FROM deleted_families d WHERE body IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM families f WHERE f.project = d.project AND f.id = d.family)),
      wanted AS (SELECT DISTINCT project, id, one->>'digest' AS digest FROM bodies, jsonb_path_query(body, '$.entries.*[*]') one)
      SELECT DISTINCT coalesce(w.project, n.project) AS project, coalesce(w.id, n.family) AS id
      FROM wanted w FULL JOIN family_objects n ON n.project = w.project AND n.family = w.id AND n.digest = w.digest
      WHERE w.digest IS NULL OR n.digest IS NULL ORDER BY 1, 2 LIMIT ${MOST}`,
  );

/** Sessions of agents that no node can take over. */
const brokenSessions = ({ sql, ask }: Fleet): Promise<(Key & { text: string })[]> =>
  ask(
    () => sql<(Key & { text: string })[]>`
      SELECT h.project, h.session AS id, 'Of its log ' || (h.last - h.packed - count(l.seq)) || ' entries are missing.' AS text
      FROM held_sessions h LEFT JOIN live_log l ON l.session = h.session AND l.seq > h.packed AND l.seq <= h.last
      GROUP BY h.session HAVING count(l.seq) <> h.last - h.packed
      UNION ALL
      SELECT h.project, h.session, 'Its packed part is gone.' FROM held_sessions h WHERE h.commit_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM commits c WHERE c.project = h.project AND c.id = h.commit_id)
        AND NOT EXISTS (SELECT 1 FROM families f WHERE f.project = h.project AND f.id = h.session AND f.commit_id = h.commit_id)
      ORDER BY 1, 2, 3 LIMIT ${MOST}`,
  );

/** A node writes its views again, as those of an older version. */
async function readAgain({ sql, ask }: Fleet, { project, id }: Key): Promise<void> {
  await ask(
    () => sql`UPDATE families SET views = 0, views_attempt = 0, views_until = NULL, views_reason = NULL
      WHERE project = ${project} AND id = ${id}`,
  );
}

async function removeSession({ sql, ask }: Fleet, { project, id }: Key): Promise<void> {
  await ask(() =>
    sql.begin(async (tx) => {
      // Nobody reads a family in the meantime; what came since the question stays.
      await lockForDeletion(tx, project);
      const sound = await tx`SELECT 1 FROM sessions s JOIN families f ON f.project = s.project AND f.id = s.family
        WHERE s.project = ${project} AND s.id = ${id}
          AND NOT EXISTS (SELECT 1 FROM deleted_sessions d WHERE d.project = s.project AND d.session = s.id)`;
      if (sound.length === 0) await clearSessions(tx, project, [id]);
    }),
  );
}

async function nameAgain({ sql, ask }: Fleet, { project, id }: Key): Promise<void> {
  await ask(() =>
    sql.begin(async (tx) => {
      await lockAgainstDeletion(tx, project);
      await lockFamily(tx, project, id);
      const [row] = await tx<{ body: SentFamily }[]>`SELECT body FROM families WHERE project = ${project} AND id = ${id}
        UNION ALL SELECT body FROM deleted_families WHERE project = ${project} AND family = ${id} AND body IS NOT NULL LIMIT 1`;
      await insertObjectNames(tx, { project, family: id }, row === undefined ? [] : objectsOf(familyOf(row.body)));
    }),
  );
}
