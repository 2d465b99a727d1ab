// An artifact becomes a tombstone: its row stays and says what was there, its bytes go when nothing else names them, and
// an import of the same source does not bring it back. The only code that ends a live row.
import { command, query, scalar } from "#db/statement.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { eventRowId } from "../base/row-keys.ts";
import { artifactChecksum, artifactOfRow, ARTIFACT_ROW, type ArtifactDbRow } from "../base/artifact-row.ts";
import { dropAnswers } from "../base/dropped-answers.ts";
import { dropOutputDocs } from "../base/search-file.ts";
import { defineWrite, ofSession } from "../base/write.ts";

/** A person said so; its time was over; the limits of retention said so. */
type WhyGone = "deleted" | "expired" | "swept";

const LIVE = `SELECT a.*, s.id AS session_id, s.title AS session_title, s.native_id FROM artifacts a
  JOIN sessions s ON s.pk = a.session_pk WHERE a.pk = ? AND a.deleted_at IS NULL`;

/** Ends a live row; false when there is none (any more). */
function makeTombstone(archive: Archive, batch: Batch, pk: number, why: WhyGone, at = batch.now): boolean {
  const { sqlite } = archive;
  const row = query(sqlite, { ...ARTIFACT_ROW, native_id: "sessions.native_id" }, LIVE).get(pk);
  if (row === undefined) return false;
  const checksum = artifactChecksum({ ...artifactOfRow(row), deletedAt: at, deletedWhy: why });
  // The preview is text of what was deleted, so it goes too.
  command(
    sqlite,
    "UPDATE artifacts SET deleted_at = ?, deleted_why = ?, preview = NULL, checksum = ? WHERE pk = ?",
  ).run(at, why, checksum, pk);
  forgetText(archive, row);
  dropAnswers(archive);
  command(sqlite, "INSERT OR IGNORE INTO deleted_pointers (pointer, at, why) VALUES (?, ?, ?)").run(
    row.pointer,
    at,
    why,
  );
  command(sqlite, "UPDATE sessions SET version = version + 1 WHERE pk = ?").run(row.session_pk);
  batch.register(row.session_id, { op: "delete", nativeId: row.native_id, pointer: row.pointer, at, why });
  return true;
}

/** What was offloaded is found no more once it is gone: of its event only what the model saw is. */
function forgetText(archive: Archive, { session_pk: pk, seq }: ArtifactDbRow): void {
  if (seq === null) return;
  const { sqlite } = archive;
  dropOutputDocs(archive, pk, seq);
  const id = eventRowId(pk, seq);
  const json = scalar(sqlite, "events.body", "FROM events WHERE id = ? AND type = 'tool_result'").get(id);
  const body = json === undefined ? null : (JSON.parse(json) as EventBody);
  if (body?.type !== "tool_result" || body.saw !== "preview") return;
  command(sqlite, "DELETE FROM search WHERE rowid = ?").run(id);
  command(sqlite, "INSERT INTO search (rowid, text) VALUES (?, ?)").run(id, body.text.slice(0, LIMITS.searchChars));
}

/** The write of deleteArtifact: its time, or when it ended before. */
export function addTombstone(archive: Archive, batch: Batch, { pointer }: { pointer: string }): { deleted: boolean } {
  const pk = scalar(archive.sqlite, "artifacts.pk", "FROM artifacts WHERE pointer = ?").get(pointer);
  return { deleted: pk !== undefined && makeTombstone(archive, batch, pk, "deleted") };
}

/** Ends what of a session was ended in the archive that it comes from, as it was there; whether there was anything. */
export function endAsThere(archive: Archive, batch: Batch, sessionPk: number): boolean {
  const due = query(
    archive.sqlite,
    { pk: "artifacts.pk", at: "deleted_pointers.at", why: "deleted_pointers.why" },
    `SELECT a.pk, d.at, d.why FROM artifacts a JOIN deleted_pointers d ON d.pointer = a.pointer
      WHERE a.session_pk = ? AND a.deleted_at IS NULL`,
  ).all(sessionPk);
  return due.filter(({ pk, at, why }) => makeTombstone(archive, batch, pk, why as WhyGone, at)).length > 0;
}

/** Ends what expired by `now`, the first `limit` of it; how many it were. */
export function expireDue(archive: Archive, batch: Batch, input: { now: number; limit: number }): { ended: number } {
  const pks = scalar(
    archive.sqlite,
    "artifacts.pk",
    "FROM artifacts WHERE expires_at <= ? AND expires_at IS NOT NULL AND deleted_at IS NULL ORDER BY expires_at LIMIT ?",
  ).all(input.now, input.limit);
  return { ended: pks.filter((pk) => makeTombstone(archive, batch, pk, "expired")).length };
}

/** Ends what a session of ours still has, the first `limit` of it; how many it were. */
export function endArtifacts(
  archive: Archive,
  batch: Batch,
  input: { sessionId: string; limit: number },
): { ended: number } {
  const pks = scalar(
    archive.sqlite,
    "artifacts.pk",
    "FROM artifacts WHERE session_pk = (SELECT pk FROM sessions WHERE id = ? AND held = 1) AND deleted_at IS NULL ORDER BY pk LIMIT ?",
  ).all(input.sessionId, input.limit);
  return { ended: pks.filter((pk) => makeTombstone(archive, batch, pk, "deleted")).length };
}

/** Ends rows that retention chose. What was given a name since is kept when names are. */
export function retire(
  archive: Archive,
  batch: Batch,
  input: { pks: readonly number[]; keepNamed: boolean },
): { ended: number } {
  const isNamed = command(
    archive.sqlite,
    "SELECT 1 FROM artifact_names WHERE pointer = (SELECT pointer FROM artifacts WHERE pk = ?)",
  );
  const ended = input.pks.filter(
    (pk) => !(input.keepNamed && isNamed.get(pk) !== undefined) && makeTombstone(archive, batch, pk, "swept"),
  );
  return { ended: ended.length };
}

/**
 * Takes back bytes of a put that was refused: only when no row names them, not even a tombstone of this same group of
 * writes, and nobody has staged them again since `touchedAt`.
 */
export function dropBlob(archive: Archive, _batch: Batch, input: { digest: string; touchedAt: number }): void {
  const { sqlite, blobs } = archive;
  if (command(sqlite, "SELECT 1 FROM artifacts WHERE digest = ? LIMIT 1").get(input.digest) !== undefined) return;
  if (blobs.touchedAt(input.digest) !== input.touchedAt) return;
  blobs.removeNow(input.digest);
  command(sqlite, "DELETE FROM blob_lines WHERE digest = ?").run(input.digest);
  command(sqlite, "DELETE FROM blobs WHERE digest = ?").run(input.digest);
}

export const deleteArtifactWrite = defineWrite("deleteArtifact", addTombstone, {
  freesRoom: true,
  isWhole: true,
  session: ({ sqlite }, { pointer }) =>
    scalar(
      sqlite,
      "sessions.id",
      "SELECT s.id FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE a.pointer = ?",
    ).get(pointer) ?? null,
});
export const endArtifactsWrite = defineWrite("endArtifacts", endArtifacts, { freesRoom: true, session: ofSession });
export const expireDueWrite = defineWrite("expireDue", expireDue, { freesRoom: true });
export const retireWrite = defineWrite("retire", retire, { freesRoom: true });
export const dropBlobWrite = defineWrite("dropBlob", dropBlob, { freesRoom: true });
