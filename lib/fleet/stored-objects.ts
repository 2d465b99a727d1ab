// Names of what a fleet keeps in its bucket, and which of it is there. What was seen once is noted in the database, so that a
// sender that asks again does not have us ask the bucket for each.
import { blobName } from "#lib/blobs/s3.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import type { Fleet } from "./open-fleet.ts";

export const SEGMENTS = "segments/";

export const objectName = ({ digest, kind }: Pick<SentObject, "digest" | "kind">): string =>
  kind === "blob" ? blobName(digest) : `${SEGMENTS}${digest.slice(0, 2)}/${digest}`;

/** Requests to the bucket under way at once. */
const AT_ONCE = 16;

/** The objects that are not in the bucket. One that has another size than was said is refused: its name is its digest. */
export async function missingOf(fleet: Fleet, objects: readonly SentObject[]): Promise<SentObject[]> {
  const wanted = new Map(objects.map((one) => [one.digest, one]));
  if (wanted.size === 0) return [];
  const known = await fleet.ask(
    () =>
      fleet.sql<
        { digest: string; bytes: number }[]
      >`SELECT digest, bytes FROM objects WHERE digest = ANY(${[...wanted.keys()]})`,
  );
  for (const { digest, bytes } of known) {
    requireSize(wanted.get(digest)!, bytes);
    wanted.delete(digest);
  }
  const missing: SentObject[] = [];
  const found: SentObject[] = [];
  const queue = [...wanted.values()];
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
  if (found.length > 0)
    await fleet.ask(
      () =>
        fleet.sql`INSERT INTO objects ${fleet.sql(found.map(({ digest, kind, bytes }) => ({ digest, kind, bytes })))} ON CONFLICT DO NOTHING`,
    );
  return missing.toSorted((a, b) => (a.digest < b.digest ? -1 : 1));
}

function requireSize({ digest, bytes }: SentObject, size: number): void {
  if (bytes !== size)
    fail(
      "invalid",
      `The object ${digest.slice(0, 16)} has ${size} bytes, not ${bytes}. Send it again under its own digest.`,
    );
}
