// Memory of an imported session, and the marks of people on it, outlive its rows: when a file was replaced, or is read again, the session is made anew, and
// what people and plans had beside it comes back to it. Until then it lies under the session's name.
import { command, query, scalar } from "#db/statement.ts";
import { createHash } from "node:crypto";
import type { Archive } from "../base/archive-type.ts";
import { rowRange } from "../base/row-keys.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";

/** Compactions first: items name them. Snapshots are of sessions of ours alone. */
const TABLES = ["compactions", "episodic_items", "semantic_items", "memory_changes", "recall_runs", "marks"] as const;

type Row = Record<string, string | number | null>;
type Kept = Record<(typeof TABLES)[number], readonly Row[]>;

const keyOf = (nativeId: string): string => `memory.kept ${nativeId}`;

const READ_AGAIN = "Its session was imported again. Its event numbers may be wrong.";

/** Lays the memory of a session aside, before its rows go. */
export function keepMemory(archive: Archive, pk: number): void {
  const kept: Record<string, readonly object[]> = Object.fromEntries(
    TABLES.map((table) => [
      table,
      query(archive.sqlite, { "*": `${table}.*` }, `FROM ${table} WHERE session_pk = ? ORDER BY pk`).all(pk),
    ]),
  );
  if (TABLES.every((table) => kept[table]!.length === 0)) return;
  const nativeId = scalar(archive.sqlite, "sessions.native_id", "FROM sessions WHERE pk = ?").get(pk)!;
  putSetting(archive, keyOf(nativeId), kept);
}

/** Marks are of the session, whatever its file holds: they go on to what the file holds now. */
export function keepMarks(archive: Archive, pk: number, nativeId: string): void {
  const marks = query(archive.sqlite, { "*": "marks.*" }, "FROM marks WHERE session_pk = ? ORDER BY pk").all(pk);
  if (marks.length === 0) return;
  putSetting(archive, keyOf(nativeId), { ...(readSetting(archive, keyOf(nativeId)) as Kept | null), marks });
  command(archive.sqlite, "DELETE FROM marks WHERE session_pk = ?").run(pk);
}

/** Forgets what lies under the name of a session that was removed. */
export const dropMemory = (archive: Archive, nativeId: string): void => putSetting(archive, keyOf(nativeId), null);

/** Gives a session that was made what lies under its name. */
export function restoreMemory(archive: Archive, pk: number, nativeId: string): void {
  const kept = readSetting(archive, keyOf(nativeId)) as Kept | null;
  if (kept === null) return;
  const compactions = new Map<string | number | null | undefined, number>();
  for (const table of TABLES)
    for (const row of kept[table] ?? []) {
      const { pk: old, ...rest } = row;
      const own: Row = { ...rest, session_pk: pk };
      if ("compaction_pk" in own) own["compaction_pk"] = compactions.get(own["compaction_pk"]) ?? null;
      if (table === "compactions") own["reason"] ??= READ_AGAIN;
      const names = Object.keys(own);
      const { lastInsertRowid } = command(
        archive.sqlite,
        `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      ).run(...Object.values(own));
      if (table === "compactions") compactions.set(old, Number(lastInsertRowid));
    }
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
    numbers: numbersOf(archive, pk),
    ids: scalar(sqlite, "compactions.id", "FROM compactions WHERE session_pk = ? AND reason IS NULL").all(pk),
  }));
  return () => {
    for (const { nativeId, numbers, ids } of before) {
      const pk = scalar(sqlite, "sessions.pk", "FROM sessions WHERE native_id = ?").get(nativeId);
      if (pk === undefined || numbersOf(archive, pk) !== numbers) continue;
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

/** Which record each event of a session is of. */
function numbersOf(archive: Archive, pk: number): string {
  const sum = createHash("sha256");
  const rows = query(
    archive.sqlite,
    { type: "events.type", at: "events.byte_start" },
    "FROM events WHERE id BETWEEN ? AND ? ORDER BY id",
  );
  for (const row of rows.iterate(...rowRange(pk))) sum.update(`${row.type} ${row.at}\n`);
  return sum.digest("hex");
}

/** Gives memory that stands beside a version of a file to the session of the file itself: all of its records are there again. */
export function moveMemory(archive: Archive, fromSource: number, toSource: number): void {
  const pairs = query(
    archive.sqlite,
    { before: "sessions.pk", now: "sessions.pk" },
    "SELECT a.pk AS before, b.pk AS now FROM sessions a JOIN sessions b ON b.lane = a.lane AND b.source_pk = ? WHERE a.source_pk = ?",
  ).all(toSource, fromSource);
  for (const { before, now } of pairs)
    for (const table of TABLES)
      command(archive.sqlite, `UPDATE OR IGNORE ${table} SET session_pk = ? WHERE session_pk = ?`).run(now, before);
}
