// The writes that name bytes: large ones are durable already, small ones come with them.
import { command } from "#db/statement.ts";
import { existsSync } from "node:fs";
import { fail } from "#lib/kernel/errors.ts";
import { artifactIdOf, freeArtifactId } from "#lib/kernel/artifacts/pointer.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { addArtifactRow, type ArtifactExtras } from "../base/artifact-row.ts";
import { heldOwner } from "./held-session.ts";
import { prepareQuota, chargeQuota } from "./quota.ts";
import type { BlobInput } from "./stage.ts";
import { isTurnClosed } from "./turns.ts";
import { defineWrite, ofSession } from "../base/write.ts";

export type ArtifactInput = {
  readonly sessionId: string;
  readonly pointer: string;
  readonly blob: BlobInput;
  readonly contentType: string;
  readonly name: string | null;
  /** The name was given, not made up: it is bound to this artifact. */
  readonly isNamed: boolean;
  readonly toolName: string | null;
  readonly toolCallId: string | null;
  readonly turn: number | null;
  readonly description: string | null;
  readonly origin: ArtifactExtras["origin"];
  readonly preview: string;
  readonly isError: boolean;
  readonly expiresAt: number | null;
};

/** Row, name and registry line of an artifact whose bytes are there. */
export function addArtifact(
  archive: Archive,
  batch: Batch,
  input: ArtifactInput,
): { createdAt: number; contentId: string | null } {
  const session = heldOwner(archive, input.sessionId);
  if (isTurnClosed(archive, input.sessionId, input.turn ?? undefined))
    fail("conflict", `Turn ${input.turn} is closed and accepts no more writes. Nothing was saved; begin a new turn.`);
  addBlobRow(archive, batch, input.blob);
  const contentId = contentIdOf(archive, input.blob.digest);
  chargeQuota(archive, session.pk, input.blob);
  addArtifactRow(archive, batch, session, {
    pointer: input.pointer,
    seq: null,
    digest: input.blob.digest,
    name: input.name,
    toolName: input.toolName,
    toolCallId: input.toolCallId,
    contentType: input.contentType,
    sizeBytes: input.blob.sizeBytes,
    lineCount: input.blob.lineCount,
    createdAt: batch.now,
    saw: "preview",
    offloadedBy: "plimsoll",
    origin: input.origin,
    contentId,
    turn: input.turn,
    description: input.description,
    isError: input.isError,
    expiresAt: input.expiresAt,
    preview: input.preview,
  });
  if (input.isNamed && input.name !== null) bindName(archive, batch, session, input.name, input.pointer);
  command(
    archive.sqlite,
    "UPDATE sessions SET artifacts = artifacts + 1, written_at = ?, version = version + 1 WHERE pk = ?",
  ).run(batch.now, session.pk);
  return { createdAt: batch.now, contentId };
}

/** A blob's row. The bytes must be there, or come with it: a pointer without bytes behind it is never shown. */
export function addBlobRow(archive: Archive, batch: Batch, blob: BlobInput): void {
  if (blob.bytes !== undefined) batch.bring(blob.digest, blob.bytes);
  else {
    const path = archive.blobs.path?.(blob.digest);
    if (path !== undefined && !existsSync(path))
      fail("conflict", "This artifact's bytes were deleted during the write. Store it again.");
  }
  const { sqlite } = archive;
  command(
    sqlite,
    `INSERT INTO blobs (digest, size, line_count, created_at, chars, shape) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (digest) DO UPDATE SET removed_at = NULL, chars = excluded.chars, shape = excluded.shape, line_count = excluded.line_count`,
  ).run(blob.digest, blob.sizeBytes, blob.lineCount, batch.now, blob.chars, blob.shape);
  if (blob.lineIndex !== null)
    command(sqlite, "INSERT OR IGNORE INTO blob_lines (digest, line_index) VALUES (?, ?)").run(
      blob.digest,
      blob.lineIndex,
    );
}

/** The latest artifact of a name is found by it; the ones before stay in the name's history. */
function bindName(
  archive: Archive,
  batch: Batch,
  session: { readonly pk: number; readonly id: string; readonly nativeId: string },
  name: string,
  pointer: string,
): void {
  command(archive.sqlite, "INSERT INTO artifact_names (session_pk, name, pointer, bound_at) VALUES (?, ?, ?, ?)").run(
    session.pk,
    name,
    pointer,
    batch.now,
  );
  batch.register(session.id, { op: "name", nativeId: session.nativeId, name, pointer, at: batch.now });
}

/** The longer content id, where another content of this archive begins with the same 16 digits; null for 16. */
export function contentIdOf(archive: Archive, digest: string): string | null {
  const other = command(archive.sqlite, "SELECT 1 FROM blobs WHERE digest >= ? AND digest < ? AND digest <> ?");
  const id = freeArtifactId(digest, (taken) => other.get(taken.slice(4), `${taken.slice(4)}g`, digest) !== undefined);
  return id === artifactIdOf(digest) ? null : id;
}

export const addArtifactWrite = defineWrite("addArtifact", addArtifact, {
  prepare: prepareQuota,
  isWhole: true,
  session: ofSession,
});
