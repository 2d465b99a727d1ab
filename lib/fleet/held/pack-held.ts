// The log of a session that agents write, packed: its rows go to the bucket as a family like all others, its views to the
// database, and what they hold leaves the live log, all in the transaction that says where it is now.
import { hash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { readEntry } from "#lib/archive/base/held-entry.ts";
import { planSentFamily, type PlannedFamily } from "#lib/archive/exports/sent-family.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SentFamily } from "#lib/wire/fleet-schema.ts";
import { bytesOf, familyOf, jsonOf, objectsOf, renewClaim, type Claim } from "../commits.ts";
import type { Fleet } from "../open-fleet.ts";
import { missingOf, objectName } from "../stored-objects.ts";
import { applyModels } from "../models/model-list.ts";
import { writeViews } from "../view-rows.ts";
import type { Lease } from "./held-sessions.ts";

/** Whoever packs a session, it is handed in by the fleet itself. */
const SENDER = "fleet";
const AT_ONCE = 4;
const RENEW_MS = 15_000;

/** What a pack has, and up to which append. */
export type Pack = { readonly family: PlannedFamily; readonly upTo: number };

/** Takes the rows of a session. Its writes wait meanwhile: those under way end first. */
export async function takePack(archive: Archive, lease: Lease): Promise<Pack> {
  const { promise, resolve } = Promise.withResolvers<void>();
  lease.gate = promise;
  try {
    while (lease.busy > 0) await setTimeout(1);
    const upTo = lease.last;
    return { family: await planSentFamily(archive, lease.session, "none"), upTo };
  } finally {
    lease.gate = null;
    resolve();
  }
}

/** Sends a pack and enters it. Fails with `conflict` where another node has the session by now. */
export async function enterPack(fleet: Fleet, archive: Archive, lease: Lease, { family, upTo }: Pack): Promise<string> {
  const body: SentFamily = { manifest: family.manifest as never, entries: family.entries };
  const read = familyOf(body);
  const due = await missingOf(fleet, objectsOf(read));
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, due.length) }, async () => {
      for (let next = due.pop(); next !== undefined; next = due.pop())
        await fleet.objects.putStream(objectName(next), piecesOf(family, next.digest));
    }),
  );
  const { project, session } = lease;
  const { sql, node } = fleet;
  // The numbers of the lease are in it: the same rows under another number are another commit.
  const id = hash("sha256", JSON.stringify([body, lease.fence, upTo]), "hex").slice(0, 32);
  const bytes = bytesOf(read.manifest);
  const person = await personOf(fleet, lease);
  await fleet.ask(
    () => sql`INSERT INTO commits (project, id, family, sender, person, state, bytes, body, attempt, claimed_by, claimed_until)
      VALUES (${project}, ${id}, ${session}, ${SENDER}, ${person}, 'claimed', ${bytes}, ${sql.json(jsonOf(body))}, 1, ${node}, clock_timestamp() + interval '60 seconds')
      ON CONFLICT (project, id) DO UPDATE SET state = 'claimed', claimed_by = ${node}, claimed_until = clock_timestamp() + interval '60 seconds',
        attempt = commits.attempt + 1`,
  );
  const [row] = await fleet.ask(
    () => sql<{ attempt: number }[]>`SELECT attempt FROM commits WHERE project = ${project} AND id = ${id}`,
  );
  const claim: Claim = { project, id, attempt: row!.attempt, family: session, sender: SENDER, body };
  const timer = setInterval(() => void renewClaim(fleet, claim).catch(() => undefined), RENEW_MS);
  try {
    const models = await applyModels(
      fleet,
      archive,
      read.manifest.sessions.map((one) => one.id),
    );
    await writeViews(fleet, archive, claim, { family: read, models }, (tx) => moveLog(tx, lease, id, upTo));
    return id;
  } catch (error) {
    // Nobody else is to read it: the next pack has all that it has.
    await fleet
      .ask(
        () =>
          sql`DELETE FROM commits WHERE project = ${project} AND id = ${id} AND attempt = ${claim.attempt} AND state = 'claimed'`,
      )
      .catch(() => undefined);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Whose a session is: its last pack says it, and before there is one the entry that began it. */
async function personOf({ sql, ask }: Fleet, { project, session, commit }: Lease): Promise<string | null> {
  const [row] = await ask(
    () => sql<{ person: string | null; first: string | null }[]>`SELECT
        coalesce((SELECT person FROM commits WHERE project = ${project} AND id = ${commit}),
          (SELECT person FROM families WHERE project = ${project} AND id = ${session} AND commit_id = ${commit})) AS person,
        (SELECT body FROM live_log WHERE session = ${session} AND seq = 1) AS first`,
  );
  const { person, first } = row!;
  // Not by the database's own JSON: it refuses some texts that an entry may have.
  return person ?? (first === null ? null : (readEntry(first).person ?? null));
}

/** What is packed leaves the live log; the keys of its requests stay for a day. */
async function moveLog(
  tx: FleetTransaction,
  { session, project, fence }: Lease,
  commit: string,
  upTo: number,
): Promise<void> {
  const [before] = await tx<{ commit: string | null }[]>`SELECT commit_id AS commit FROM held_sessions
    WHERE session = ${session} AND fence = ${fence} AND packed <= ${upTo} AND last >= ${upTo} FOR UPDATE`;
  if (before === undefined) fail("conflict", `Another node has taken over session ${session}. It packs it.`);
  await tx`UPDATE held_sessions SET packed = ${upTo}, commit_id = ${commit} WHERE session = ${session}`;
  await tx`INSERT INTO held_keys (session, principal, key, at, kept)
    SELECT DISTINCT ON (kept::json->>'principal', kept::json->>'key') session, kept::json->>'principal', kept::json->>'key',
      at, kept
    FROM live_log WHERE session = ${session} AND seq <= ${upTo} AND kept IS NOT NULL
    ORDER BY kept::json->>'principal', kept::json->>'key', seq DESC
    ON CONFLICT (session, principal, key) DO UPDATE SET at = excluded.at, kept = excluded.kept`;
  await tx`DELETE FROM held_keys WHERE session = ${session}
    AND at < clock_timestamp() - make_interval(secs => ${LIMITS.idempotencyMs / 1000})`;
  await tx`DELETE FROM live_log WHERE session = ${session} AND seq <= ${upTo}`;
  if (before.commit !== null && before.commit !== commit)
    await tx`DELETE FROM commits WHERE project = ${project} AND id = ${before.commit}`;
}

async function* piecesOf(family: PlannedFamily, digest: string): AsyncGenerator<Uint8Array> {
  yield* family.read(digest) as AsyncIterable<Uint8Array>;
}
