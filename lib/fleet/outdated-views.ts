// Views that an older Plimsoll wrote are written again, in pauses: families are claimed as commits are, those of the newest version
// first and of these the newest; the oldest views come last. A commit that arrives goes first.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { withFamily, RENEW_MS, type Reader } from "./catalogue.ts";
import { CLAIM, clean } from "./commits.ts";
import type { Fleet } from "./open-fleet.ts";
import { viewsBy } from "./models/model-list.ts";
import { lockAgainstDeletion } from "./retention/tombstones.ts";
import { lockFamily, replaceViews } from "./view-rows.ts";
import { VIEWS } from "#lib/archive/exports/views-version.ts";

const ATTEMPTS = 3;

type Due = {
  readonly project: string;
  readonly id: string;
  readonly commit_id: string;
  readonly attempt: number;
  readonly body: SentFamily;
};

/** Writes the views of one family again; null where all are as this version writes them. */
export async function recomputeNext(fleet: Fleet, reader: Reader): Promise<"done" | "superseded" | "failed" | null> {
  const due = await claimOutdated(fleet);
  if (due === null) return null;
  const timer = setInterval(() => void renew(fleet, due).catch(() => undefined), RENEW_MS);
  try {
    return await withFamily(fleet, reader, { ...due, commit: due.commit_id }, ({ manifest }, models) =>
      writeAgain(fleet, reader.archive, due, { models, sessions: manifest.sessions.map(({ id }) => id) }),
    );
  } catch (error) {
    await giveBack(fleet, due, error).catch(() => undefined);
    return "failed";
  } finally {
    clearInterval(timer);
  }
}

async function claimOutdated({ sql, ask }: Fleet): Promise<Due | null> {
  // The index has the families of each version in the order of their arrival: no claim looks at those that are done.
  const [row] = await ask(
    () => sql<Due[]>`
      UPDATE families f SET views_attempt = f.views_attempt + 1, views_until = now() + ${CLAIM}::interval
      FROM (SELECT project, id FROM families
        WHERE views = (SELECT max(views) FROM families WHERE views < ${VIEWS} AND (views_until IS NULL OR views_until < now()))
          AND (views_until IS NULL OR views_until < now())
        ORDER BY received_at DESC LIMIT 1 FOR UPDATE SKIP LOCKED) due
      WHERE f.project = due.project AND f.id = due.id
      RETURNING f.project, f.id, f.commit_id, f.views_attempt AS attempt, f.body`,
  );
  return row === undefined ? null : { ...row };
}

async function renew({ sql, ask }: Fleet, { project, id, attempt }: Due): Promise<void> {
  await ask(
    () => sql`UPDATE families SET views_until = now() + ${CLAIM}::interval
      WHERE project = ${project} AND id = ${id} AND views_attempt = ${attempt}`,
  );
}

/** A family that a newer commit, a deletion or another node has changed meanwhile is left as it is. */
const writeAgain = (
  fleet: Fleet,
  archive: Archive,
  { project, id, commit_id: commit, attempt }: Due,
  { sessions, models }: { readonly sessions: readonly string[]; readonly models: string | null },
): Promise<"done" | "superseded"> =>
  fleet.ask(() =>
    fleet.sql.begin(async (tx) => {
      await lockAgainstDeletion(tx, project);
      const views = await viewsBy(tx, models);
      await lockFamily(tx, project, id);
      const held = await tx`SELECT 1 FROM families
        WHERE project = ${project} AND id = ${id} AND commit_id = ${commit} AND views_attempt = ${attempt} FOR UPDATE`;
      if (held.length === 0) return "superseded";
      await replaceViews(tx, archive, { project, family: id, sessions });
      await tx`UPDATE families SET views = ${views}, views_commit = commit_id, views_attempt = 0, views_until = NULL, views_reason = NULL
        WHERE project = ${project} AND id = ${id}`;
      return "done";
    }),
  );

/** What cannot be read again keeps the views that it has, and says why. */
async function giveBack({ sql, ask }: Fleet, { project, id, attempt }: Due, error: unknown): Promise<void> {
  if (!isAppError(error)) console.error(`The views of ${id} were not written again:`, error);
  const message = error instanceof Error ? error.message : String(error);
  const isOver = attempt >= ATTEMPTS;
  await ask(
    () => sql`UPDATE families SET views = CASE WHEN ${isOver} THEN ${VIEWS} ELSE views END, views_commit = commit_id,
        views_reason = ${clean(message).slice(0, 1000)}, views_until = now() + interval '10 seconds'
      WHERE project = ${project} AND id = ${id} AND views_attempt = ${attempt}`,
  );
}

export type ViewsLeft = { readonly version: number; readonly outdated: number; readonly failed: number };

/** How many families an older version wrote, and how many of them cannot be read by this one. */
export async function viewsLeft({ sql, ask }: Fleet): Promise<ViewsLeft> {
  const [row] = await ask(
    () => sql<{ outdated: number; failed: number }[]>`SELECT
      (SELECT count(*) FROM families WHERE views < ${VIEWS}) AS outdated,
      (SELECT count(*) FROM families WHERE views_reason IS NOT NULL AND views >= ${VIEWS}) AS failed`,
  );
  return { version: VIEWS, ...row! };
}
