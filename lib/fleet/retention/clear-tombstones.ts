// What a sweep clears in the database: tombstones whose time is over keep their name alone, and commits that were read long ago too.
import type { Fleet } from "../open-fleet.ts";
import { DELETED } from "./tombstones.ts";

const AT_ONCE = 50;
const COMMITS = 1000;

/** Clears what was deleted before; how many families. Their tombstones stay, so that no sender brings them back. */
export async function clearTombstones({ sql, ask }: Fleet, cutoff: Date): Promise<number> {
  for (let cleared = 0; ;) {
    const rows = await ask(() =>
      sql.begin(async (tx) => {
        // One that is restored at the moment is left.
        const due = await tx<{ project: string; family: string }[]>`
          UPDATE deleted_families d SET body = NULL FROM (SELECT project, family FROM deleted_families
            WHERE body IS NOT NULL AND deleted_at < ${cutoff} ORDER BY deleted_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED) due
          WHERE d.project = due.project AND d.family = due.family RETURNING d.project, d.family`;
        for (const { project, family } of due) {
          await tx`DELETE FROM family_objects o WHERE o.project = ${project} AND o.family = ${family}
            AND NOT EXISTS (SELECT 1 FROM families f WHERE f.project = o.project AND f.id = o.family)`;
          const held = await tx<{ session: string }[]>`DELETE FROM held_sessions WHERE holder = ${DELETED}
            AND session IN (SELECT session FROM deleted_sessions WHERE project = ${project} AND family = ${family}) RETURNING session`;
          const sessions = held.map(({ session }) => session);
          for (const table of ["live_log", "held_keys", "held_names"])
            await tx`DELETE FROM ${tx(table)} WHERE session = ANY(${sessions})`;
          await tx`DELETE FROM session_kept WHERE project = ${project}
            AND session IN (SELECT session FROM deleted_sessions WHERE project = ${project} AND family = ${family})
            AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.project = session_kept.project AND s.id = session_kept.session)`;
          // What waits goes on after its project's limits had ended it.
          await tx`DELETE FROM commits WHERE project = ${project} AND family = ${family} AND state IN ('done', 'superseded')`;
        }
        return due;
      }),
    );
    cleared += rows.length;
    if (rows.length < AT_ONCE) return cleared;
  }
}

/**
 * Commits that were read before: what they handed in is the family's by now, or was replaced. Their names stay, so that the same
 * commit is not read again.
 */
export async function trimCommits({ sql, ask }: Fleet, cutoff: Date): Promise<number> {
  for (let trimmed = 0; ;) {
    const rows = await ask(
      () => sql`UPDATE commits c SET body = '{}' FROM (SELECT project, id FROM commits
          WHERE state IN ('done', 'superseded') AND done_at < ${cutoff} AND body <> '{}'
            AND NOT EXISTS (SELECT 1 FROM held_sessions h WHERE h.project = commits.project AND h.commit_id = commits.id)
          LIMIT ${COMMITS}) old
        WHERE c.project = old.project AND c.id = old.id AND c.state IN ('done', 'superseded') RETURNING 1`,
    );
    trimmed += rows.length;
    if (rows.length < COMMITS) return trimmed;
  }
}
