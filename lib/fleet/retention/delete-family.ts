// A family of sessions leaves the catalogue, and a tombstone with what it was made of stays, with a row of the audit log: all of it in
// one transaction. Until a sweep clears the tombstone it can be put back.
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { jsonOf, objectsOf } from "../commits.ts";
import { insertObjectNames } from "../object-names.ts";
import type { Fleet } from "../open-fleet.ts";
import { insertAudit } from "../people/audit.ts";
import { clearSessions, lockFamily } from "../view-rows.ts";
import { BY_RETENTION, DELETED, lockForDeletion } from "./tombstones.ts";

/** Who does it, from where, and why. */
export type By = { readonly who: string; readonly address: string; readonly reason: string };

export type FamilyKey = { readonly project: string; readonly family: string };

export type FamilyRow = FamilyKey & {
  readonly sessions: readonly { readonly id: string; readonly title: string }[];
  readonly bytes: number;
};

type Source = {
  readonly commit_id: string;
  readonly sender: string;
  readonly person: string | null;
  readonly bytes: number;
  readonly body: SentFamily;
};

/** `expects`: only while this commit is the newest, and no agent writes to it. Null where it is not there as it was expected. */
export async function deleteFamily(
  fleet: Fleet,
  { project, family }: FamilyKey,
  by: By,
  expects: string | null = null,
): Promise<FamilyRow | null> {
  return fleet.ask(() =>
    fleet.sql.begin(async (tx) => {
      await lockForDeletion(tx, project);
      await lockFamily(tx, project, family);
      const [known] = await tx<Source[]>`SELECT commit_id, sender, person, bytes, body FROM families
        WHERE project = ${project} AND id = ${family} FOR UPDATE`;
      if (known === undefined || (expects !== null && known.commit_id !== expects)) return null;
      const newer = await newerCommit(tx, project, family);
      const sessions = await sessionsOf(tx, { project, family }, known.body);
      const ids = sessions.map(({ id }) => id);
      if (expects !== null && (newer !== null || (await isWritten(tx, ids)))) return null;
      const source = newer ?? known;
      await tx`INSERT INTO deleted_families (project, family, deleted_by, reason, bytes, body, commit_id, sender, person, title, sessions)
        VALUES (${project}, ${family}, ${by.who}, ${by.reason}, ${source.bytes}, ${tx.json(jsonOf(source.body))}, ${source.commit_id},
          ${source.sender}, ${source.person}, ${sessions.find(({ id }) => id === family)?.title ?? sessions[0]?.title ?? ""}, ${ids.length})
        ON CONFLICT (project, family) DO UPDATE SET deleted_at = now(), deleted_by = excluded.deleted_by, reason = excluded.reason,
          bytes = excluded.bytes, body = excluded.body, commit_id = excluded.commit_id, sender = excluded.sender, person = excluded.person,
          title = excluded.title, sessions = excluded.sessions`;
      await tx`INSERT INTO deleted_sessions (project, session, family) SELECT ${project}, unnest(${ids}::text[]), ${family}
        ON CONFLICT (project, session) DO UPDATE SET family = excluded.family`;
      await clearSessions(tx, project, ids);
      await tx`DELETE FROM families WHERE project = ${project} AND id = ${family}`;
      // What the tombstone needs stays named until it is cleared.
      if (newer !== null) await insertObjectNames(tx, { project, family }, objectsOf(newer.body));
      // Handed in again after a restore that finds nothing, they are read like new ones. A session of agents still needs its own.
      await tx`DELETE FROM commits c WHERE c.project = ${project} AND c.family = ${family}
        AND NOT EXISTS (SELECT 1 FROM held_sessions h WHERE h.project = c.project AND h.commit_id = c.id)`;
      // Whoever writes to it is refused from now on, and nobody takes it.
      await tx`UPDATE held_sessions SET holder = ${DELETED}, until = '9999-12-31', fence = fence + 1 WHERE session = ANY(${ids})`;
      const detail = `${by.reason === "" ? "" : `${by.reason}: `}${ids.length} ${ids.length === 1 ? "session" : "sessions"}`;
      await insertAudit(tx, { who: by.who, action: "delete", project, session: family, address: by.address, detail });
      return { project, family, sessions, bytes: source.bytes };
    }),
  );
}

/** The newest commit of a family that was not read yet: it is what its sender has. */
async function newerCommit(tx: FleetTransaction, project: string, family: string): Promise<Source | null> {
  const [row] = await tx<Source[]>`SELECT id AS commit_id, sender, person, bytes, body FROM commits
    WHERE project = ${project} AND family = ${family} AND state IN ('waiting', 'claimed') ORDER BY received_at DESC LIMIT 1`;
  return row ?? null;
}

/** The sessions of a family: those that are listed, and those that its objects hold and no other family lists. */
export async function sessionsOf(
  tx: FleetTransaction | Fleet["sql"],
  { project, family }: FamilyKey,
  body: SentFamily,
): Promise<{ id: string; title: string }[]> {
  // Not checked: what this version cannot read is deleted as well.
  const { sessions = [] } = body.manifest as { readonly sessions?: readonly { id: string; title: string }[] };
  const ids = sessions.map(({ id }) => id);
  const rows = await tx<{ id: string; title: string; family: string }[]>`SELECT id, title, family FROM sessions
    WHERE project = ${project} AND (family = ${family} OR id = ANY(${ids})) ORDER BY id`;
  const listed = new Set(rows.map(({ id }) => id));
  return [
    ...rows.filter((row) => row.family === family).map(({ id, title }) => ({ id, title })),
    ...sessions.filter(({ id }) => !listed.has(id)).map(({ id, title }) => ({ id, title })),
  ];
}

/** Whether an agent writes to one of the sessions now. */
async function isWritten(tx: FleetTransaction, sessions: readonly string[]): Promise<boolean> {
  const rows = await tx`SELECT 1 FROM held_sessions
    WHERE session = ANY(${[...sessions]}) AND holder IS NOT NULL AND until >= clock_timestamp() FOR UPDATE`;
  return rows.length > 0;
}

/** Of the limits of a project. */
export const retentionBy = (reason: string): By => ({ who: BY_RETENTION, address: "node", reason });
