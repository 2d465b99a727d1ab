// The bytes of an artifact for a download, or why there are none: it is a tombstone, or its blob is lost or damaged.
// Which of the two is known before the first byte goes out.
import { isAppError } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { iso } from "../base/iso.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";
import { clipRef, goneText, resolveArtifact, stateOf } from "./resolve.ts";

type Range = { readonly start: number; readonly end: number };

export type RawArtifact =
  | {
      readonly kind: "bytes";
      readonly digest: string;
      readonly sizeBytes: number;
      readonly contentType: string;
      readonly name: string | null;
      readonly pointer: string;
      read(range?: Range): AsyncIterable<Uint8Array>;
    }
  | { readonly kind: "gone" | "corrupt"; readonly message: string; readonly was: Gone };

/** What is left of an artifact: enough to know what it was, and to store the same bytes again. */
export type Gone = {
  readonly pointer: string;
  readonly name: string | null;
  readonly toolName: string | null;
  readonly digest: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  readonly createdAt: string | null;
  readonly deletedAt: string | null;
  readonly expiresAt: string | null;
};

/** Opens an artifact. Fails with `not_found` when there never was one of this name. */
export async function openRaw(archive: Archive, ref: string): Promise<RawArtifact> {
  const row = resolveArtifact(archive, ref);
  const now = archive.host.now();
  if (stateOf(row, now) !== "live") return { kind: "gone", message: goneText(row, ref, now) ?? "", was: leftOf(row) };
  let size = -1;
  try {
    size = await archive.blobs.size(row.digest);
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
  if (size !== row.size) {
    // A blob of another size is read once: that is what moves it to the quarantine.
    if (size >= 0) await archive.blobs.read(row.digest)[Symbol.asyncIterator]().next().catch(refused);
    return lost(row, ref);
  }
  return {
    kind: "bytes",
    digest: row.digest,
    sizeBytes: row.size,
    contentType: row.content_type,
    name: row.name,
    pointer: row.pointer,
    read: (range) => archive.blobs.read(row.digest, range),
  };
}

/** What is told when its bytes turned out to be damaged while they were read. */
export const lostBytes = (archive: Archive, ref: string): RawArtifact => lost(resolveArtifact(archive, ref), ref);

const lost = (row: ArtifactDbRow, ref: string): RawArtifact => ({
  kind: "corrupt",
  message: `The bytes of ${clipRef(ref)} are lost or damaged. Store the same content again to repair it: ${row.size} bytes with the sha-256 ${row.digest}.`,
  was: leftOf(row),
});

const refused = (error: unknown): void => {
  if (!isAppError(error)) throw error;
};

const leftOf = (row: ArtifactDbRow): Gone => ({
  pointer: row.pointer,
  name: row.name,
  toolName: row.tool_name,
  digest: row.digest,
  sizeBytes: row.size,
  contentType: row.content_type,
  createdAt: iso(row.created_at),
  deletedAt: iso(row.deleted_at),
  expiresAt: iso(row.expires_at),
});
