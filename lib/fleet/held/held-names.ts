// Names under which requests ask for what a session has, without naming the session: pointers of outputs, ids of compactions. And
// the digests of bytes that the live log alone names.
import { blobOf, type HeldEntry } from "#lib/archive/base/held-entry.ts";
import type { NameRow } from "./held-leases.ts";

export function namesOf(session: string, { write, input }: Pick<HeldEntry, "write" | "input">): NameRow[] {
  const { pointer, artifact, id } = input as { pointer?: string; artifact?: { pointer?: string } | null; id?: string };
  if (write === "addCompaction") return [{ session, name: id!, digest: null }];
  if (write !== "addArtifact" && write !== "addOutput") return [];
  const name = pointer ?? artifact?.pointer;
  return name === undefined ? [] : [{ session, name, digest: blobOf(input)?.digest ?? null }];
}
