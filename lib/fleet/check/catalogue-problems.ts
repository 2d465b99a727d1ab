// What of the catalogue does not belong together, and what is mended of it. Each is a question that finds nothing in a sound catalogue.
import type { FleetProblem } from "#lib/wire/fleet-check-schema.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { VIEWS } from "#lib/archive/exports/views-version.ts";
import { familyOf, objectsOf } from "../commits.ts";
import { insertObjectNames } from "../object-names.ts";
import type { Fleet } from "../open-fleet.ts";
import { lockAgainstDeletion, lockForDeletion } from "../retention/tombstones.ts";
import { TEXTS_PRINT } from "../session-texts.ts";
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
  for (const { family, ...one } of await sessionsWithoutFamily(fleet)) {
    const then = repair ? AFTER[await mendSession(fleet, one, family)] : "";
    add("session without family", one, `This session is listed, and nothing is there to open it from.${then}`, repair);
  }
  for (const one of await commitsWithoutFamily(fleet)) {
    if (repair) await readCommitAgain(fleet, one);
    add("commit without family", one, "This was read, and is not in the catalogue. A node can read it again.", repair);
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
  for (const one of await wrongSums(fleet)) {
    if (repair) await readFamilyOf(fleet, one);
    add("sums of session", one, "The session's rows of usage are not those that it was listed with.", repair);
  }
  for (const one of await wrongTexts(fleet)) {
    if (repair) await readFamilyOf(fleet, one);
    add("texts of session", one, "The texts that a search looks into are not those of the session.", repair);
  }
  for (const one of await wronglyNamed(fleet)) {
    if (repair) await nameAgain(fleet, one);
    add("names of objects", one, "The family's names of objects are not those of its content.", repair);
  }
  for (const one of await emptySessions(fleet)) {
    if (repair) await freeId(fleet, one);
    add("reserved id", one, "An id is kept for a session of agents that never began.", repair);
  }
  for (const { text, ...one } of await brokenSessions(fleet)) add("agent's session", one, text, false);
  return problems;
}

const familiesWithoutSessions = ({ sql, ask }: Fleet): Promise<Key[]> =>
  ask(
    () => sql<Key[]>`SELECT f.project, f.id FROM families f
      WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.project = f.project AND s.family = f.id) ORDER BY 1, 2 LIMIT ${MOST}`,
  );

/** Those that are deleted are told of as such. */
const sessionsWithoutFamily = ({ sql, ask }: Fleet): Promise<(Key & { family: string })[]> =>
  ask(
    () => sql<(Key & { family: string })[]>`SELECT s.project, s.id, s.family FROM sessions s
      WHERE NOT EXISTS (SELECT 1 FROM families f WHERE f.project = s.project AND f.id = s.family)
        AND NOT EXISTS (SELECT 1 FROM deleted_sessions d WHERE d.project = s.project AND d.session = s.id)
      ORDER BY 1, 2 LIMIT ${MOST}`,
  );

/** Families that were read, whose sessions are neither listed nor deleted, and that nothing is about to bring back. */
const commitsWithoutFamily = ({ sql, ask }: Fleet): Promise<Key[]> =>
  ask(
    () => sql<Key[]>`SELECT DISTINCT c.project, c.family AS id FROM commits c
      WHERE c.state = 'done' AND c.body <> '{}'
        AND NOT EXISTS (SELECT 1 FROM families f WHERE f.project = c.project AND f.id = c.family)
        AND NOT EXISTS (SELECT 1 FROM deleted_families d WHERE d.project = c.project AND d.family = c.family)
        AND NOT EXISTS (SELECT 1 FROM commits w WHERE w.project = c.project AND w.family = c.family
          AND w.state IN ('waiting', 'claimed', 'failed'))
        AND NOT EXISTS (SELECT 1 FROM jsonb_path_query(c.body, '$.manifest.sessions[*].id') one
          WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.project = c.project AND s.id = one #>> '{}')
            OR EXISTS (SELECT 1 FROM deleted_sessions d WHERE d.project = c.project AND d.session = one #>> '{}'))
      ORDER BY 1, 2 LIMIT ${MOST}`,
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

/** Sessions whose rows of usage do not come to what is listed of them. */
const wrongSums = ({ sql, ask }: Fleet): Promise<Key[]> =>
  ask(
    () => sql<Key[]>`SELECT s.project, s.id FROM sessions s
      LEFT JOIN (SELECT project, session, sum(calls) AS calls, sum(input + read + written) AS tokens FROM session_usage GROUP BY 1, 2) u
        ON u.project = s.project AND u.session = s.id
      WHERE (coalesce(u.calls, 0) <> s.own_calls OR coalesce(u.tokens, 0) <> s.own_tokens)
        AND EXISTS (SELECT 1 FROM families f WHERE f.project = s.project AND f.id = s.family AND f.views >= ${VIEWS} AND f.views_reason IS NULL)
      AND NOT EXISTS (SELECT 1 FROM deleted_sessions d WHERE d.project = s.project AND d.session = s.id)
      ORDER BY 1, 2 LIMIT ${MOST}`,
  );

/** Sessions whose texts are not those that were written with their rows. */
const wrongTexts = ({ sql, ask }: Fleet): Promise<Key[]> =>
  ask(
    () => sql<Key[]>`SELECT s.project, s.id FROM sessions s
      LEFT JOIN (SELECT project, session, ${sql.unsafe(TEXTS_PRINT)} AS print FROM session_texts GROUP BY 1, 2) t
        ON t.project = s.project AND t.session = s.id
      WHERE s.texts_print IS NOT NULL AND t.print IS DISTINCT FROM s.texts_print ORDER BY 1, 2 LIMIT ${MOST}`,
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

const readFamilyOf = ({ sql, ask }: Fleet, { project, id }: Key): Promise<unknown> =>
  ask(
    () => sql`UPDATE families SET views = 0, views_attempt = 0, views_until = NULL, views_reason = NULL
      WHERE project = ${project} AND id = (SELECT family FROM sessions WHERE project = ${project} AND id = ${id})`,
  );

/** A request may be about to write to one that is younger. */
const NEVER_BEGUN =
  "last = 0 AND commit_id IS NULL AND until < clock_timestamp() AND made_at < now() - interval '1 hour'";

const emptySessions = ({ sql, ask }: Fleet): Promise<Key[]> =>
  ask(
    () => sql<Key[]>`SELECT project, session AS id FROM held_sessions WHERE ${sql.unsafe(NEVER_BEGUN)}
      ORDER BY 1, 2 LIMIT ${MOST}`,
  );

async function freeId({ sql, ask }: Fleet, { project, id }: Key): Promise<void> {
  await ask(() =>
    sql.begin(async (tx) => {
      await lockAgainstDeletion(tx, project);
      const rows = await tx`DELETE FROM held_sessions WHERE session = ${id} AND ${tx.unsafe(NEVER_BEGUN)} RETURNING 1`;
      if (rows.length === 0) return;
      // A sender may have handed the session in.
      await tx`DELETE FROM session_projects p WHERE session = ${id} AND project = ${project}
        AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.project = p.project AND s.id = p.session)
        AND NOT EXISTS (SELECT 1 FROM commits c WHERE c.project = p.project AND c.family = p.session)
        AND NOT EXISTS (SELECT 1 FROM deleted_sessions d WHERE d.project = p.project AND d.session = p.session)`;
    }),
  );
}

/** A node writes its views again, as those of an older version. */
async function readAgain({ sql, ask }: Fleet, { project, id }: Key): Promise<void> {
  await ask(
    () => sql`UPDATE families SET views = 0, views_attempt = 0, views_until = NULL, views_reason = NULL
      WHERE project = ${project} AND id = ${id}`,
  );
}

const AFTER = { "read again": " A node reads it again.", "taken out": " Its sender sends it again." } as const;

/** From what was handed in; where that is gone it leaves the catalogue, and whoever has it sends it. */
async function mendSession(fleet: Fleet, one: Key, family: string): Promise<keyof typeof AFTER> {
  if (await readCommitAgain(fleet, { project: one.project, id: family })) return "read again";
  await removeSession(fleet, one);
  return "taken out";
}

/** Hands in again what was read of a family that is gone; false where its sessions are all that is left. */
const readCommitAgain = ({ sql, ask }: Fleet, { project, id }: Key): Promise<boolean> =>
  ask(() =>
    sql.begin(async (tx) => {
      await lockAgainstDeletion(tx, project);
      await lockFamily(tx, project, id);
      const waiting = await tx`SELECT 1 FROM families WHERE project = ${project} AND id = ${id}
        UNION ALL SELECT 1 FROM commits WHERE project = ${project} AND family = ${id} AND state IN ('waiting', 'claimed')`;
      if (waiting.length > 0) return true;
      const rows =
        await tx`UPDATE commits SET state = 'waiting', attempt = 0, claimed_until = NULL, done_at = NULL, reason = NULL
        WHERE project = ${project} AND id = (SELECT id FROM commits WHERE project = ${project} AND family = ${id}
          AND state IN ('done', 'superseded') AND body <> '{}' ORDER BY state, received_at DESC, id LIMIT 1) RETURNING 1`;
      return rows.length > 0;
    }),
  );

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
