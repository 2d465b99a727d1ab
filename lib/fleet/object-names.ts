// Which objects a family names. One that loses its name counts as seen at that moment: who reads what was named a moment ago, or copies the
// bucket for a backup, still finds it.
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import { noteSeen } from "./stored-objects.ts";

type FamilyKey = { readonly project: string; readonly family: string };

/** Names the objects of a family, in place of those that it named before. */
export async function insertObjectNames(
  tx: FleetTransaction,
  { project, family }: FamilyKey,
  objects: readonly SentObject[],
): Promise<void> {
  const digests = [...new Set(objects.map(({ digest }) => digest))];
  const left = await tx<
    { digest: string }[]
  >`DELETE FROM family_objects o WHERE o.project = ${project} AND o.family = ${family}
    AND NOT EXISTS (SELECT 1 FROM unnest(${digests}::text[]) n (digest) WHERE n.digest = o.digest) RETURNING o.digest`;
  await noteSeen(
    tx,
    left.map(({ digest }) => digest),
  );
  await tx`INSERT INTO family_objects (project, family, digest) SELECT ${project}, ${family}, unnest(${digests}::text[])
    ON CONFLICT DO NOTHING`;
}

/** Of families that are there no more. */
export async function deleteObjectNames(
  tx: FleetTransaction,
  project: string,
  families: readonly string[],
): Promise<void> {
  const left = await tx<
    { digest: string }[]
  >`DELETE FROM family_objects o WHERE o.project = ${project} AND o.family = ANY(${[...families]})
    AND NOT EXISTS (SELECT 1 FROM families f WHERE f.project = o.project AND f.id = o.family) RETURNING o.digest`;
  await noteSeen(
    tx,
    left.map(({ digest }) => digest),
  );
}
