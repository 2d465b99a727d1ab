// What people do: delete a session with its family, list what was deleted, and put it back. Whoever may not manage a project is
// answered as if there were no such session.
import { fail } from "#lib/kernel/errors.ts";
import type { DeletedFamily, FleetDeleteAnswer, FleetRestoreAnswer } from "#lib/wire/fleet-retention-schema.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { jsonOf } from "../commits.ts";
import type { Fleet } from "../open-fleet.ts";
import { insertAudit } from "../people/audit.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { deleteFamily, sessionsOf, type By, type FamilyKey } from "./delete-family.ts";
import { dropTombstone, lockForDeletion, tombstonesOf, tombstoneText } from "./tombstones.ts";

/** `managed`: the projects whose sessions they may delete. */
export type DeleteRequest = By & {
  readonly session: string;
  readonly managed: Projects;
  readonly dryRun: boolean;
};

export async function deleteSession(fleet: Fleet, request: DeleteRequest): Promise<FleetDeleteAnswer> {
  const { session, managed, dryRun, ...by } = request;
  const key = await familyNamed(fleet, session, managed);
  const { sql, ask } = fleet;
  if (dryRun) {
    const [row] = await ask(
      () => sql<{ bytes: number; body: SentFamily }[]>`SELECT bytes, body FROM families
        WHERE project = ${key.project} AND id = ${key.family}`,
    );
    if (row === undefined) return absent(session);
    const sessions = await ask(() => sessionsOf(sql, key, row.body));
    return { ...key, sessions, bytes: row.bytes, dryRun };
  }
  const deleted = await deleteFamily(fleet, key, by);
  return deleted === null ? absent(session) : { ...deleted, sessions: [...deleted.sessions], dryRun };
}

async function familyNamed(fleet: Fleet, name: string, managed: Projects): Promise<FamilyKey> {
  const { sql, ask } = fleet;
  const rows = await ask(
    () => sql<FamilyKey[]>`SELECT DISTINCT project, family FROM sessions
      WHERE (id = ${name} OR native_id = ${name}) AND ${inProjects(fleet, managed)} LIMIT 2`,
  );
  if (rows.length > 1)
    fail("invalid", `"${name.slice(0, 80)}" names more than one session. Give the id of one: it begins with s_.`);
  const [found] = rows;
  if (found !== undefined) return { ...found };
  const [gone] = await ask(() => tombstonesOf(sql, [name], managed));
  if (gone !== undefined) fail("conflict", tombstoneText(gone));
  return absent(name);
}

const absent = (name: string): never =>
  fail(
    "not_found",
    `No session "${name.slice(0, 80)}" in the projects that you manage. One that was just sent or begun is listed within a minute.`,
  );

export type RestoreRequest = Omit<By, "reason"> & { readonly session: string; readonly managed: Projects };

/** Hands a deleted family in again, as a commit: a node reads it as it reads those of senders. */
export async function restoreSession(fleet: Fleet, request: RestoreRequest): Promise<FleetRestoreAnswer> {
  const { session, managed, who, address } = request;
  const { sql, ask } = fleet;
  const [found] = await ask(() => tombstonesOf(sql, [session], managed));
  if (found === undefined)
    fail(
      "not_found",
      `No deleted session "${session.slice(0, 80)}" in the projects that you manage. List them: plimsoll fleet deleted`,
    );
  const { project, family } = found;
  const isRestored = await ask(() =>
    sql.begin(async (tx) => {
      await lockForDeletion(tx, project);
      const [stone] = await tx<
        { body: SentFamily | null; commit_id: string; sender: string; person: string | null; bytes: number }[]
      >`
        SELECT body, commit_id, sender, person, bytes FROM deleted_families WHERE project = ${project} AND family = ${family} FOR UPDATE`;
      // Somebody was faster.
      if (stone === undefined) return true;
      const { body, commit_id: id, sender, person, bytes } = stone;
      if (body !== null)
        await tx`INSERT INTO commits (project, id, family, sender, person, state, bytes, body)
          VALUES (${project}, ${id}, ${family}, ${sender}, ${person}, 'waiting', ${bytes}, ${tx.json(jsonOf(body))})
          ON CONFLICT (project, id) DO UPDATE SET state = 'waiting', attempt = 0, received_at = clock_timestamp(), claimed_until = NULL,
            done_at = NULL, reason = NULL, body = excluded.body`;
      await dropTombstone(tx, project, family);
      const detail = body === null ? "its content was swept: senders may send it again" : "";
      await insertAudit(tx, { who, action: "restore", project, session: family, address, detail });
      return body !== null;
    }),
  );
  return { project, family, isRestored };
}

export type DeletedRequest = {
  readonly visible: Projects;
  readonly project?: string | undefined;
  readonly limit: number;
};

/** The newest first. */
export async function listDeleted(fleet: Fleet, request: DeletedRequest): Promise<DeletedFamily[]> {
  const { sql, ask } = fleet;
  const { visible, project, limit } = request;
  const rows = await ask(
    () => sql<(Omit<DeletedFamily, "at"> & { at: Date })[]>`
      SELECT project, family, title, sessions, bytes, deleted_at AS at, deleted_by AS by, reason, body IS NOT NULL AS "canRestore"
      FROM deleted_families WHERE ${inProjects(fleet, visible)} ${project === undefined ? sql`` : sql`AND project = ${project}`}
      ORDER BY deleted_at DESC, family LIMIT ${limit}`,
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}
