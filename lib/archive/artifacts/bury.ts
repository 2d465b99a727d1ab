// An artifact becomes a tombstone: its row stays and says what was there, its bytes go when nothing else names them, and
// an import of the same source does not bring it back. The one place where a live row ends.
import type { EventBody } from "#lib/kernel/event.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { eventRowId } from "../base/row-keys.ts";
import { plucked, prepared } from "../base/statement-cache.ts";
import { artifactChecksum, artifactOfRow, type ArtifactDbRow } from "../base/artifact-row.ts";
import { defineWrite } from "../base/write.ts";

/** A person said so; its time was over; the limits of retention said so. */
type WhyGone = "deleted" | "expired" | "swept";

type LiveRow = ArtifactDbRow & { readonly native_id: string };

const LIVE = `SELECT a.*, s.id AS session_id, s.title AS session_title, s.native_id FROM artifacts a
  JOIN sessions s ON s.pk = a.session_pk WHERE a.pk = ? AND a.deleted_at IS NULL`;

/** Ends a live row; false when there is none (any more). */
function bury(archive: Archive, batch: Batch, pk: number, why: WhyGone): boolean {
  const { sqlite } = archive;
  const row = prepared(sqlite, LIVE).get(pk) as LiveRow | undefined;
  if (row === undefined) return false;
  const at = batch.now;
  const checksum = artifactChecksum({ ...artifactOfRow(row), deletedAt: at, deletedWhy: why });
  // The preview is text of what was deleted, so it goes too.
  prepared(
    sqlite,
    "UPDATE artifacts SET deleted_at = ?, deleted_why = ?, preview = NULL, checksum = ? WHERE pk = ?",
  ).run(at, why, checksum, pk);
  forgetText(archive, row);
  prepared(sqlite, "INSERT OR IGNORE INTO deleted_pointers (pointer, at, why) VALUES (?, ?, ?)").run(
    row.pointer,
    at,
    why,
  );
  prepared(sqlite, "UPDATE sessions SET version = version + 1 WHERE pk = ?").run(row.session_pk);
  batch.register(row.session_id, { op: "delete", nativeId: row.native_id, pointer: row.pointer, at, why });
  return true;
}

/** What was offloaded is found no more once it is gone: of its event only what the model saw is. */
function forgetText({ sqlite }: Archive, { session_pk: pk, seq }: LiveRow): void {
  if (seq === null) return;
  const id = eventRowId(pk, seq);
  const json = plucked(sqlite, "SELECT body FROM events WHERE id = ? AND type = 'tool_result'").get(id) as
    | string
    | undefined;
  const body = json === undefined ? null : (JSON.parse(json) as EventBody);
  if (body?.type !== "tool_result" || body.saw !== "preview") return;
  prepared(sqlite, "DELETE FROM search WHERE rowid = ?").run(id);
  prepared(sqlite, "INSERT INTO search (rowid, text) VALUES (?, ?)").run(id, body.text.slice(0, LIMITS.searchChars));
}

/** The write of deleteArtifact: its time, or when it ended before. */
export function addTombstone(archive: Archive, batch: Batch, { pointer }: { pointer: string }): { deleted: boolean } {
  const pk = plucked(archive.sqlite, "SELECT pk FROM artifacts WHERE pointer = ?").get(pointer) as number | undefined;
  return { deleted: pk !== undefined && bury(archive, batch, pk, "deleted") };
}

/** Ends what expired by `now`, the first `limit` of it; how many it were. */
export function expireDue(archive: Archive, batch: Batch, wish: { now: number; limit: number }): { ended: number } {
  const pks = plucked(
    archive.sqlite,
    "SELECT pk FROM artifacts WHERE expires_at <= ? AND expires_at IS NOT NULL AND deleted_at IS NULL ORDER BY expires_at LIMIT ?",
  ).all(wish.now, wish.limit) as number[];
  return { ended: pks.filter((pk) => bury(archive, batch, pk, "expired")).length };
}

/** Ends what a session of ours still has, the first `limit` of it; how many it were. */
export function endArtifacts(
  archive: Archive,
  batch: Batch,
  wish: { sessionId: string; limit: number },
): { ended: number } {
  const pks = plucked(
    archive.sqlite,
    "SELECT pk FROM artifacts WHERE session_pk = (SELECT pk FROM sessions WHERE id = ? AND held = 1) AND deleted_at IS NULL ORDER BY pk LIMIT ?",
  ).all(wish.sessionId, wish.limit) as number[];
  return { ended: pks.filter((pk) => bury(archive, batch, pk, "deleted")).length };
}

/** Ends rows that retention chose. What was given a name since is kept when names are. */
export function retire(
  archive: Archive,
  batch: Batch,
  wish: { pks: readonly number[]; keepNamed: boolean },
): { ended: number } {
  const isNamed = plucked(
    archive.sqlite,
    "SELECT 1 FROM artifact_names WHERE pointer = (SELECT pointer FROM artifacts WHERE pk = ?)",
  );
  const ended = wish.pks.filter(
    (pk) => !(wish.keepNamed && isNamed.get(pk) !== undefined) && bury(archive, batch, pk, "swept"),
  );
  return { ended: ended.length };
}

/**
 * Takes back bytes of a put that was refused: only when no row names them, not even a tombstone of this same group of
 * writes, and nobody has staged them again since `touchedAt`.
 */
export function dropBlob(archive: Archive, _batch: Batch, wish: { digest: string; touchedAt: number }): void {
  const { sqlite, blobs } = archive;
  if (plucked(sqlite, "SELECT 1 FROM artifacts WHERE digest = ? LIMIT 1").get(wish.digest) !== undefined) return;
  if (blobs.touchedAt(wish.digest) !== wish.touchedAt) return;
  blobs.removeNow(wish.digest);
  prepared(sqlite, "DELETE FROM blob_lines WHERE digest = ?").run(wish.digest);
  prepared(sqlite, "DELETE FROM blobs WHERE digest = ?").run(wish.digest);
}

export const deleteArtifactWrite = defineWrite("deleteArtifact", addTombstone, { freesRoom: true });
export const endArtifactsWrite = defineWrite("endArtifacts", endArtifacts, { freesRoom: true });
export const expireDueWrite = defineWrite("expireDue", expireDue, { freesRoom: true });
export const retireWrite = defineWrite("retire", retire, { freesRoom: true });
export const dropBlobWrite = defineWrite("dropBlob", dropBlob, { freesRoom: true });
