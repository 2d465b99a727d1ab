// Names of what a fleet keeps in its bucket, and which of it is there. What was seen is noted in the database, so that a sender that
// asks again does not have us ask the bucket for each, and so that a sweep leaves alone what was asked for lately.
import { setTimeout } from "node:timers/promises";
import type { FleetSql, FleetTransaction } from "#db/fleet/fleet-sql.ts";
import { blobName } from "#lib/blobs/s3.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import type { Fleet } from "./open-fleet.ts";

export const SEGMENTS = "segments/";

export const objectName = ({ digest, kind }: Pick<SentObject, "digest" | "kind">): string =>
  kind === "blob" ? blobName(digest) : `${SEGMENTS}${digest.slice(0, 2)}/${digest}`;

/** Requests to the bucket under way at once, and answers of it that are noted together. */
const AT_ONCE = 16;
const NOTED = 512;
/** What was seen so lately is not noted anew. Far less than a sweep waits. */
export const SEEN = "1 hour";
/** An answer of the bucket holds for so long: a sweep gives twice as much notice before it removes what nobody had noted. */
export const BELIEVED_MS = 30_000;
/** How long an object that is being removed is waited for (milliseconds). */
const GOING_MS = 5000;
const AGAIN_MS = 100;

/**
 * The objects that are not in the bucket. One that has another size than was said is refused: its name is its digest.
 * `fresh`: the bucket is not asked. What is there without a note is then sent again, and the bucket keeps what it has.
 */
export async function missingOf(
  fleet: Fleet,
  objects: readonly SentObject[],
  { fresh = false }: { readonly fresh?: boolean | undefined } = {},
): Promise<SentObject[]> {
  const wanted = new Map(objects.map((one) => [one.digest, one]));
  if (wanted.size === 0) return [];
  for (const { digest, bytes } of await knownOf(fleet, [...wanted.keys()])) {
    requireSize(wanted.get(digest)!, bytes);
    wanted.delete(digest);
  }
  const rest = [...wanted.values()];
  const missing = fresh ? rest : await lookForAll(fleet, rest);
  return missing.toSorted((a, b) => (a.digest < b.digest ? -1 : 1));
}

async function lookForAll(fleet: Fleet, objects: readonly SentObject[]): Promise<SentObject[]> {
  const missing: SentObject[] = [];
  for (let from = 0; from < objects.length; from += NOTED)
    missing.push(...(await lookFor(fleet, objects.slice(from, from + NOTED))));
  return missing;
}

/** Asks the bucket, and notes what is there. */
async function lookFor(fleet: Fleet, objects: readonly SentObject[]): Promise<SentObject[]> {
  const startedAt = performance.now();
  const missing: SentObject[] = [];
  const found: SentObject[] = [];
  const queue = [...objects];
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, queue.length) }, async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const there = await fleet.objects.head(objectName(next));
        if (there === null) missing.push(next);
        else {
          requireSize(next, there.size);
          found.push(next);
        }
      }
    }),
  );
  if (found.length === 0) return missing;
  if (performance.now() - startedAt > BELIEVED_MS)
    fail("timeout", `${fleet.objects.label} is slow. Send again; what is there stays there.`);
  const { sql, ask } = fleet;
  // In one order, so that two senders never wait for each other.
  const rows = found
    .toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
    .map(({ digest, kind, bytes }) => ({ digest, kind, bytes }));
  const noted = await ask(
    () => sql`INSERT INTO objects ${sql(rows)} ON CONFLICT (digest) DO UPDATE SET seen_at = clock_timestamp()
      WHERE objects.going_at IS NULL RETURNING 1`,
  );
  if (noted.length < found.length) refuseGoing(found.length - noted.length);
  return missing;
}

/**
 * Notes an object that the bucket has just stored. False where a sweep was removing it: it is to be stored anew. A bucket that keeps
 * versions may store what is there already (Ceph's gateway 16.2 does), so the answer "stored" does not say that the name was free.
 */
export async function noteStored(fleet: Fleet, { digest, kind, bytes }: SentObject): Promise<boolean> {
  const { sql, ask } = fleet;
  const noted = await ask(
    () => sql`INSERT INTO objects ${sql({ digest, kind, bytes })} ON CONFLICT (digest) DO UPDATE SET seen_at = clock_timestamp()
      WHERE objects.going_at IS NULL RETURNING 1`,
  );
  if (noted.length > 0) return true;
  await knownOf(fleet, [digest]);
  return false;
}

/** Notes objects as seen now, unless a sweep is removing them, or they were noted lately. In one order: nobody waits for each other. */
export async function noteSeen(sql: FleetSql | FleetTransaction, digests: readonly string[]): Promise<void> {
  if (digests.length === 0) return;
  await sql`UPDATE objects SET seen_at = clock_timestamp() WHERE digest IN (
    SELECT digest FROM objects WHERE digest = ANY(${[...digests]}) AND going_at IS NULL AND seen_at < now() - ${SEEN}::interval
    ORDER BY digest FOR UPDATE)`;
}

/** Those that are noted, and noted from now on as seen now. What a sweep is removing is waited for. */
async function knownOf(
  { sql, ask }: Fleet,
  digests: readonly string[],
): Promise<{ readonly digest: string; readonly bytes: number }[]> {
  const end = performance.now() + GOING_MS;
  for (;;) {
    // Before they are read: a sweep that comes between sees that they are wanted.
    await ask(() => noteSeen(sql, digests));
    const rows = await ask(
      () =>
        sql<
          { digest: string; bytes: number; isGoing: boolean }[]
        >`SELECT digest, bytes, going_at IS NOT NULL AS "isGoing" FROM objects WHERE digest = ANY(${[...digests]})`,
    );
    const going = rows.filter(({ isGoing }) => isGoing).length;
    if (going === 0) return rows;
    if (performance.now() > end) refuseGoing(going);
    await setTimeout(AGAIN_MS);
  }
}

const refuseGoing = (count: number): never =>
  fail(
    "conflict",
    `${count} ${count === 1 ? "object is" : "objects are"} just being swept, since nothing named them for long. Send again in 15 minutes.`,
  );

function requireSize({ digest, bytes }: SentObject, size: number): void {
  if (bytes !== size)
    fail(
      "invalid",
      `The object ${digest.slice(0, 16)} has ${size} bytes, not ${bytes}. Send it again under its own digest.`,
    );
}
