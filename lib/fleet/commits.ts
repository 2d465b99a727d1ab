// Commits: what senders handed in, and who reads it. A node claims the oldest one that waits, for a while; each claim has a higher
// number than the one before, and only the last may finish. All times are the database's: clocks of nodes decide nothing.
import { hash } from "node:crypto";
import type { FleetSql, FleetTransaction } from "#db/fleet/fleet-sql.ts";
import { entriesOf, parseManifest, type Manifest } from "#lib/archive/bundle/bundle-manifest.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { CommitAnswer, CommitRequest, SentFamily, SentObject } from "#lib/wire/fleet-schema.ts";
import type { Fleet } from "./open-fleet.ts";
import { lockAgainstDeletion, tombstoneAgainst, tombstoneText } from "./retention/tombstones.ts";
import { missingOf } from "./stored-objects.ts";
import { inProjects, type Projects } from "./visible-projects.ts";

/** A claim that its node does not renew ends after this. */
export const CLAIM = "60 seconds";
/** A commit that no node could read so often is given up, and says why. */
const ATTEMPTS = 5;
const NEWER_CAME = "A later commit of the same session came before this one was read.";

export type Family = { readonly manifest: Manifest; readonly entries: SentFamily["entries"] };

export type Claim = {
  readonly project: string;
  readonly id: string;
  readonly attempt: number;
  readonly family: string;
  readonly sender: string;
  readonly body: SentFamily;
};

/** The same family from the same sender is the same commit, however often it is handed in. */
const commitId = ({ family }: CommitRequest): string => hash("sha256", JSON.stringify(family), "hex").slice(0, 32);

/** Takes a commit in. All of its objects are in the bucket by then: fails with the first that is not. */
export async function receiveCommit(
  fleet: Fleet,
  request: CommitRequest,
  person: string | null = null,
): Promise<CommitAnswer> {
  const { project, sender } = request;
  const { manifest, entries } = familyOf(request.family);
  const id = commitId(request);
  const bytes = bytesOf(manifest);
  const sessions = manifest.sessions.map((one) => one.id);
  const refused = async (sql: FleetSql | FleetTransaction): Promise<CommitAnswer | null> => {
    const tombstone = await tombstoneAgainst(sql, project, sessions, bytes);
    return tombstone === null ? null : { id, project, state: "deleted", reason: tombstoneText(tombstone) };
  };
  // Before its objects: of what was deleted none are asked for.
  const early = await fleet.ask(() => refused(fleet.sql));
  if (early !== null) return early;
  const objects = Object.values(entries).flat();
  const missing = await missingOf(fleet, objects);
  if (missing.length > 0)
    fail(
      "conflict",
      `${missing.length} of ${objects.length} objects are not in the bucket, such as ${missing[0]!.digest.slice(0, 16)}. Send them, then commit again.`,
    );
  const late = await fleet.ask(() =>
    fleet.sql.begin(async (tx) => {
      await lockAgainstDeletion(tx, project);
      const deleted = await refused(tx);
      if (deleted !== null) return deleted;
      await claimSessions(tx, project, sessions, "conflict");
      await requireNoted(tx, objects);
      // What its sender had before something else, and has again, is its newest once more. What is as it was handed in last is not read again.
      // What was read, and is not in the catalogue any more, is: nothing else brings it back.
      await tx`INSERT INTO commits (project, id, family, sender, person, state, bytes, body)
        VALUES (${project}, ${id}, ${manifest.session}, ${sender}, ${person}, 'waiting', ${bytes}, ${tx.json(jsonOf(request.family))})
        ON CONFLICT (project, id) DO UPDATE SET state = 'waiting', attempt = 0, received_at = excluded.received_at, person = excluded.person,
          body = excluded.body, reason = NULL, done_at = NULL, claimed_until = NULL
        WHERE commits.state = 'failed' OR (commits.sender = excluded.sender AND EXISTS (SELECT FROM commits l
          WHERE l.project = commits.project AND l.family = commits.family AND l.sender = commits.sender AND l.received_at > commits.received_at))
          OR (commits.state IN ('done', 'superseded')
            AND NOT EXISTS (SELECT FROM families f WHERE f.project = commits.project AND f.id = commits.family)
            AND NOT EXISTS (SELECT FROM sessions s JOIN families f ON f.project = s.project AND f.id = s.family
              WHERE s.project = commits.project AND s.id = ANY(${sessions})))`;
      return null;
    }),
  );
  return late ?? readCommit(fleet, project, id);
}

/**
 * What is noted was seen within the hour, and no sweep takes it for a day at least. Only a check that forgot objects, or a pause of
 * this node for as long, comes between.
 */
async function requireNoted(tx: FleetTransaction, objects: readonly SentObject[]): Promise<void> {
  const digests = [...new Set(objects.map(({ digest }) => digest))];
  const [row] = await tx<
    { n: number }[]
  >`SELECT count(*) AS n FROM objects WHERE digest = ANY(${digests}) AND going_at IS NULL`;
  if (row!.n < digests.length)
    fail("conflict", `${digests.length - row!.n} objects left the bucket meanwhile. Send them, then commit again.`);
}

/** The bytes of all that a family holds, unpacked. */
export const bytesOf = (manifest: Manifest): number =>
  entriesOf(manifest).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/**
 * A session is of one project: that which sent it first. Nodes keep one copy of it, so that another project's would be shown to
 * people of this one.
 */
export async function claimSessions(
  tx: FleetTransaction,
  project: string,
  sessions: readonly string[],
  code: "conflict" | "invalid",
): Promise<void> {
  // In one order, so that two senders never wait for each other.
  const ids = sessions.toSorted();
  await tx`INSERT INTO session_projects (session, project) SELECT unnest(${ids}::text[]), ${project} ON CONFLICT DO NOTHING`;
  const [other] = await tx<{ session: string }[]>`SELECT session FROM session_projects
    WHERE session = ANY(${ids}) AND project <> ${project} LIMIT 1`;
  if (other !== undefined)
    fail(code, `The session ${other.session} was sent to another project. Send it there, or leave its folder out.`);
}

export async function readCommit(
  fleet: Fleet,
  project: string,
  id: string,
  visible: Projects = "all",
): Promise<CommitAnswer> {
  const { sql, ask } = fleet;
  const [row] = await ask(
    () => sql<CommitAnswer[]>`SELECT id, project, state, reason FROM commits
      WHERE project = ${project} AND id = ${id} AND ${inProjects(fleet, visible)}`,
  );
  return row === undefined ? fail("not_found", `No commit ${id.slice(0, 40)} in the project ${project}.`) : { ...row };
}

/** What was handed in, checked: every entry of the manifest has its objects, and nothing else is there. */
export function familyOf(body: SentFamily): Family {
  const manifest = parseManifest(JSON.stringify(body.manifest));
  const names = new Set(entriesOf(manifest).map(({ name }) => name));
  for (const name of names)
    if (body.entries[name] === undefined) fail("invalid", `The commit has no objects for ${name}.`);
  for (const name of Object.keys(body.entries))
    if (!names.has(name)) fail("invalid", `The commit lists ${name}, which its manifest does not.`);
  for (const { entry } of manifest.artifacts) {
    const [blob, ...rest] = body.entries[entry.name]!;
    if (rest.length > 0 || blob?.kind !== "blob" || blob.digest !== entry.sha256)
      fail("invalid", `The output ${entry.sha256} is not one blob.`);
  }
  return { manifest, entries: body.entries };
}

/**
 * The commit to read next; null where there is none. Families are read in the order in which their first one came that waits; of each
 * sender's that wait the newest, since it has all that they have. A family that is being read waits: it has more by then.
 */
export async function claimCommit(fleet: Fleet): Promise<Claim | null> {
  const { sql, ask, node } = fleet;
  const ended = await ask(
    () => sql<
      Ended[]
    >`UPDATE commits SET state = 'failed', done_at = now(), reason = coalesce(reason, 'No node finished reading it.')
      WHERE state = 'claimed' AND claimed_until < now() AND attempt >= ${ATTEMPTS} RETURNING project, family, sender, state`,
  );
  await bringBack(fleet, ended);
  const isDue = sql`(c.state = 'waiting' OR (c.state = 'claimed' AND c.claimed_until < now()))`;
  const [row] = await ask(
    () => sql<Claim[]>`
      WITH due AS MATERIALIZED (SELECT c.project, c.family, c.sender FROM commits c WHERE ${isDue} AND NOT EXISTS (SELECT FROM commits r
          WHERE r.project = c.project AND r.family = c.family AND r.state = 'claimed' AND r.claimed_until >= now())
        ORDER BY c.received_at LIMIT 1 FOR UPDATE OF c SKIP LOCKED),
      own AS MATERIALIZED (SELECT c.project, c.id, c.received_at FROM commits c JOIN due USING (project, family, sender)
        WHERE ${isDue} FOR UPDATE OF c SKIP LOCKED),
      newest AS (SELECT project, id FROM own ORDER BY received_at DESC, id LIMIT 1),
      older AS (UPDATE commits c SET state = 'superseded', done_at = now(), claimed_until = NULL, reason = ${NEWER_CAME}
        FROM own WHERE c.project = own.project AND c.id = own.id AND c.id NOT IN (SELECT id FROM newest))
      UPDATE commits c SET state = 'claimed', attempt = c.attempt + 1, claimed_by = ${node}, claimed_until = now() + ${CLAIM}::interval
      FROM newest WHERE c.project = newest.project AND c.id = newest.id
      RETURNING c.project, c.id, c.attempt, c.family, c.sender, c.body`,
  );
  return row === undefined ? null : { ...row };
}

/** Keeps a claim while its node works; false where another node has it by now. */
export async function renewClaim({ sql, ask }: Fleet, { project, id, attempt }: Claim): Promise<boolean> {
  const rows = await ask(
    () => sql`UPDATE commits SET claimed_until = now() + ${CLAIM}::interval
      WHERE project = ${project} AND id = ${id} AND attempt = ${attempt} AND state = 'claimed' RETURNING 1`,
  );
  return rows.length > 0;
}

/** Inside a transaction: holds the commit if the claim still counts, else fails with `conflict`. */
export async function requireClaim(tx: FleetTransaction, { project, id, attempt }: Claim): Promise<void> {
  const rows = await tx`SELECT 1 FROM commits
    WHERE project = ${project} AND id = ${id} AND attempt = ${attempt} AND state = 'claimed' FOR UPDATE`;
  if (rows.length === 0)
    fail("conflict", `Another node has taken over the commit ${id}. What this one read was dropped.`);
}

export async function finishCommit(
  tx: FleetTransaction,
  { project, id }: Claim,
  state: "done" | "superseded",
  reason: string | null,
): Promise<void> {
  await tx`UPDATE commits SET state = ${state}, done_at = now(), reason = ${reason}, claimed_until = NULL WHERE project = ${project} AND id = ${id}`;
}

/** Gives a claim back, or the commit up: what cannot be read by its own fault is not tried again. */
export async function releaseCommit(
  fleet: Fleet,
  { project, id, attempt }: Claim,
  reason: string,
  isFinal: boolean,
): Promise<void> {
  const { sql, ask } = fleet;
  const ended = await ask(
    () => sql<
      Ended[]
    >`UPDATE commits SET state = ${isFinal || attempt >= ATTEMPTS ? "failed" : "waiting"}, reason = ${clean(reason).slice(0, 1000)}, done_at = now()
      WHERE project = ${project} AND id = ${id} AND attempt = ${attempt} AND state = 'claimed' RETURNING project, family, sender, state`,
  );
  await bringBack(fleet, ended);
}

type Ended = { readonly project: string; readonly family: string; readonly sender: string; readonly state: string };

/** Those that were passed over for a commit that failed wait again: an older copy of a session is better than none. */
async function bringBack({ sql, ask }: Fleet, ended: readonly Ended[]): Promise<void> {
  for (const { project, family, sender } of ended.filter(({ state }) => state === "failed"))
    await ask(
      () => sql`UPDATE commits c SET state = 'waiting', done_at = NULL, reason = NULL
        WHERE project = ${project} AND family = ${family} AND sender = ${sender} AND state = 'superseded' AND reason = ${NEWER_CAME}
          AND body <> '{}' AND received_at > coalesce((SELECT max(d.received_at) FROM commits d
            WHERE d.project = c.project AND d.family = c.family AND d.sender = c.sender AND d.state = 'done'), '-infinity')`,
    );
}

/** PostgreSQL's texts have no NUL, and its JSON no half of a surrogate pair. */
export const clean = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

/** A value that its JSON columns take. */
export const jsonOf = <T>(value: T): never =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === "string" ? clean(one) : one))) as never;

export const objectsOf = ({ entries }: Pick<Family, "entries">): SentObject[] => Object.values(entries).flat();
