// Memory of an imported session, and the marks of people on it, outlive its rows: when a file was replaced, or is read again, the session is made anew, and
// what people and plans had beside it comes back to it. Until then it lies under the session's name.
import { command, query, scalar } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import {
  BESIDE,
  insertBeside,
  isEmpty,
  putBeside,
  READ_AGAIN,
  recordsDigest,
  rowsBeside,
  type Beside,
} from "../base/beside-rows.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";

const keyOf = (nativeId: string): string => `memory.kept ${nativeId}`;

/** Lays the memory of a session aside, before its rows go. */
export function keepMemory(archive: Archive, pk: number): void {
  const kept = rowsBeside(archive, pk);
  if (isEmpty(kept)) return;
  const nativeId = scalar(archive.sqlite, "sessions.native_id", "FROM sessions WHERE pk = ?").get(pk)!;
  putSetting(archive, keyOf(nativeId), kept);
}

/** Marks are of the session, whatever its file holds: they go on to what the file holds now. */
export function keepMarks(archive: Archive, pk: number, nativeId: string): void {
  const kept = rowsBeside(archive, pk, ["marks"]);
  if (isEmpty(kept)) return;
  putSetting(archive, keyOf(nativeId), {
    ...(readSetting(archive, keyOf(nativeId)) as Partial<Beside> | null),
    ...kept,
  });
  command(archive.sqlite, "DELETE FROM marks WHERE session_pk = ?").run(pk);
}

/** Forgets what lies under the name of a session that was removed. */
export const dropMemory = (archive: Archive, nativeId: string): void => putSetting(archive, keyOf(nativeId), null);

/** Gives a session that was made what lies under its name. */
export function restoreMemory(archive: Archive, pk: number, nativeId: string): void {
  const kept = readSetting(archive, keyOf(nativeId)) as Partial<Beside> | null;
  if (kept === null) return;
  insertBeside(archive, pk, kept, READ_AGAIN);
  putSetting(archive, keyOf(nativeId), null);
}

/**
 * Remembers how the events of a source's sessions are numbered, and takes the note back from compactions of those that a new
 * reading numbered the same.
 */
export function confirmNumbers(archive: Archive, sourcePk: number): () => void {
  const { sqlite } = archive;
  const rows = query(
    sqlite,
    { pk: "sessions.pk", nativeId: "sessions.native_id" },
    `SELECT DISTINCT s.pk, s.native_id AS nativeId FROM sessions s JOIN compactions c ON c.session_pk = s.pk
       WHERE s.source_pk = ? AND c.reason IS NULL`,
  ).all(sourcePk);
  const before = rows.map(({ pk, nativeId }) => ({
    nativeId,
    numbers: recordsDigest(archive, pk),
    ids: scalar(sqlite, "compactions.id", "FROM compactions WHERE session_pk = ? AND reason IS NULL").all(pk),
  }));
  return () => {
    for (const { nativeId, numbers, ids } of before) {
      const pk = scalar(sqlite, "sessions.pk", "FROM sessions WHERE native_id = ?").get(nativeId);
      if (pk === undefined || recordsDigest(archive, pk) !== numbers) continue;
      for (const id of ids)
        command(sqlite, "UPDATE compactions SET reason = NULL WHERE id = ? AND reason = ?").run(id, READ_AGAIN);
    }
  };
}

/** The same for a source that only went on: its events have their numbers, and there are more. */
export function confirmPlans(archive: Archive, sourcePk: number): () => void {
  const { sqlite } = archive;
  const ids = scalar(
    sqlite,
    "compactions.id",
    "SELECT c.id FROM compactions c JOIN sessions s ON s.pk = c.session_pk WHERE s.source_pk = ? AND c.reason IS NULL",
  ).all(sourcePk);
  return () => {
    for (const id of ids)
      command(sqlite, "UPDATE compactions SET reason = NULL WHERE id = ? AND reason = ?").run(id, READ_AGAIN);
  };
}

/** Gives memory that stands beside a version of a file to the session of the file itself: all of its records are there again. */
export function moveMemory(archive: Archive, fromSource: number, toSource: number): void {
  const pairs = query(
    archive.sqlite,
    { before: "sessions.pk", now: "sessions.pk" },
    "SELECT a.pk AS before, b.pk AS now FROM sessions a JOIN sessions b ON b.lane = a.lane AND b.source_pk = ? WHERE a.source_pk = ?",
  ).all(toSource, fromSource);
  for (const { before, now } of pairs)
    for (const table of BESIDE)
      command(archive.sqlite, `UPDATE OR IGNORE ${table} SET session_pk = ? WHERE session_pk = ?`).run(now, before);
}

/** Of a fleet: what another node was told of a session that was sent. */
export const putBesideWrite = defineWrite(
  "putBeside",
  (archive: Archive, _: Batch, { sessionId, text }: { readonly sessionId: string; readonly text: string }) => {
    const pk = scalar(archive.sqlite, "sessions.pk", "FROM sessions WHERE id = ?").get(sessionId);
    if (pk !== undefined) putBeside(archive, pk, text);
  },
);
