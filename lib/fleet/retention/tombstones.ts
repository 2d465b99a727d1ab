// Tombstones: which sessions of a fleet were deleted. While one stands nothing brings its sessions back but a restore; what ran out
// by the limits of its project comes back when it goes on.
import { hash } from "node:crypto";
import type { FleetSql, FleetTransaction } from "#db/fleet/fleet-sql.ts";
import { deleteObjectNames } from "../object-names.ts";
import type { Fleet } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";

/** Who deletes by the limits of a project. */
export const BY_RETENTION = "retention";

/** In place of the node that has a session which agents write. */
export const DELETED = "deleted";

/** What is read or written of sessions that may be deleted: many at once, while nobody deletes in the project. */
export async function lockAgainstDeletion(tx: FleetTransaction, project: string): Promise<void> {
  await tx`SELECT pg_advisory_xact_lock_shared(${lockOf(project)}::bigint)`;
}

/** Waits for those, and holds new ones up until the transaction ends. Taken before any other lock. */
export async function lockForDeletion(tx: FleetTransaction, project: string): Promise<void> {
  await tx`SELECT pg_advisory_xact_lock(${lockOf(project)}::bigint)`;
}

export type Tombstone = {
  readonly session: string;
  readonly project: string;
  readonly family: string;
  readonly by: string;
  readonly bytes: number;
  readonly at: Date;
  readonly canRestore: boolean;
};

/** The tombstones of these sessions. */
export async function tombstonesOf(
  sql: FleetSql | FleetTransaction,
  sessions: readonly string[],
  projects: Projects,
): Promise<Tombstone[]> {
  if (sessions.length === 0) return [];
  const rows = await sql<Tombstone[]>`
    SELECT s.session, f.project, f.family, f.deleted_by AS by, f.bytes, f.deleted_at AS at, f.body IS NOT NULL AS "canRestore"
    FROM deleted_sessions s JOIN deleted_families f USING (project, family)
    WHERE s.session = ANY(${[...sessions]}) AND ${inProjects({ sql: sql as FleetSql }, projects, "s.project")} ORDER BY 1`;
  return rows.map((row) => ({ ...row }));
}

/**
 * The tombstone that keeps a family out; null where it may come in. What its project's limits ended comes in when it has grown
 * since: somebody goes on with it.
 */
export async function tombstoneAgainst(
  sql: FleetSql | FleetTransaction,
  project: string,
  sessions: readonly string[],
  bytes: number,
): Promise<Tombstone | null> {
  const found = await tombstonesOf(sql, sessions, [project]);
  return found.find((one) => one.by !== BY_RETENTION || bytes <= one.bytes) ?? null;
}

/** Lets a family in that goes on after the limits of its project ended it. */
export async function liftTombstones(
  tx: FleetTransaction,
  project: string,
  sessions: readonly string[],
): Promise<void> {
  const rows = await tx<{ family: string }[]>`SELECT DISTINCT family FROM deleted_sessions
    WHERE project = ${project} AND session = ANY(${[...sessions]})`;
  for (const { family } of rows) await dropTombstone(tx, project, family);
}

export async function dropTombstone(tx: FleetTransaction, project: string, family: string): Promise<void> {
  // A sweep locks it first, too.
  await tx`SELECT 1 FROM deleted_families WHERE project = ${project} AND family = ${family} FOR UPDATE`;
  await tx`UPDATE held_sessions SET holder = NULL, until = 'epoch' WHERE holder = ${DELETED}
    AND session IN (SELECT session FROM deleted_sessions WHERE project = ${project} AND family = ${family})`;
  await tx`DELETE FROM deleted_sessions WHERE project = ${project} AND family = ${family}`;
  await tx`DELETE FROM deleted_families WHERE project = ${project} AND family = ${family}`;
  // Objects of a tombstone are named as those of a family are.
  await deleteObjectNames(tx, project, [family]);
}

/** For people who may see the project. */
export const tombstoneText = ({ session, project, at, by, canRestore }: Tombstone): string =>
  [
    by === BY_RETENTION
      ? `Session ${session} was deleted on ${day(at)}: it was over the limits of the project ${project}.`
      : `Session ${session} was deleted on ${day(at)}.`,
    canRestore ? `An admin of the project ${project} can restore it: plimsoll fleet restore ${session}` : "",
  ]
    .join(" ")
    .trim();

const day = (at: Date): string => at.toISOString().slice(0, 10);

/** The tombstone of a session, as people who see these projects are told of it; null where there is none. */
export async function deletedText(
  { sql, ask }: Pick<Fleet, "sql" | "ask">,
  session: string,
  visible: Projects,
): Promise<string | null> {
  const [found] = await ask(() => tombstonesOf(sql, [session], visible));
  return found === undefined ? null : tombstoneText(found);
}

const lockOf = (project: string): string =>
  String(hash("sha256", `deletions ${project}`, "buffer").readBigInt64BE() >> 1n);
