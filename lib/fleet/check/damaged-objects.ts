// Objects of the bucket whose bytes are not what their name says. They open nothing, and keep the right ones out: a name that has
// bytes takes no others. So they are removed, as a sweep does it: marked in the database first, while senders wait.
import { createHash } from "node:crypto";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { objectName } from "../stored-objects.ts";

export type Found = { readonly state: "sound" | "damaged" | "missing"; readonly bytes: number };

/** Reads it. A reading that was cut off says nothing of the object. */
export async function readObject({ objects }: Fleet, object: Pick<SentObject, "digest" | "kind">): Promise<Found> {
  const name = objectName(object);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const piece of objects.read(name)) {
      hash.update(piece);
      bytes += piece.length;
    }
  } catch (error) {
    if (isAppError(error) && error.code === "not_found") return { state: "missing", bytes: 0 };
    throw error;
  }
  if (hash.digest("hex") === object.digest) return { state: "sound", bytes };
  const size = (await objects.head(name))?.size ?? null;
  if (size === null) return { state: "missing", bytes: 0 };
  if (size !== bytes) fail("timeout", `${objects.label} did not send ${name} whole. Check again.`);
  return { state: "damaged", bytes };
}

/** Removes an object if it is damaged, and forgets it: whoever has it sends it. One that is sound stays, and is noted with its size. */
export async function removeDamaged(fleet: Fleet, { digest, kind }: SentObject): Promise<void> {
  const { sql, ask, objects } = fleet;
  const first = await readObject(fleet, { digest, kind });
  if (first.state === "missing") return;
  if (first.state === "sound") {
    await ask(
      () => sql`UPDATE objects SET bytes = ${first.bytes}, seen_at = clock_timestamp()
        WHERE digest = ${digest} AND going_at IS NULL`,
    );
    return;
  }
  const marked = await ask(
    () => sql`INSERT INTO objects (digest, kind, bytes, seen_at, going_at)
      VALUES (${digest}, ${kind}, ${first.bytes}, 'epoch', clock_timestamp())
      ON CONFLICT (digest) DO UPDATE SET going_at = clock_timestamp() WHERE objects.going_at IS NULL RETURNING 1`,
  );
  // A sweep or another repair has it.
  if (marked.length === 0) return;
  // Another repair may have removed it, and a sender stored the right one, before the mark. After it nobody does.
  const now = await readObject(fleet, { digest, kind });
  if (now.state === "damaged") await objects.remove(objectName({ digest, kind }));
  if (now.state === "sound")
    await ask(
      () => sql`UPDATE objects SET bytes = ${now.bytes}, seen_at = clock_timestamp(), going_at = NULL
        WHERE digest = ${digest}`,
    );
  else await ask(() => sql`DELETE FROM objects WHERE digest = ${digest} AND going_at IS NOT NULL`);
}
