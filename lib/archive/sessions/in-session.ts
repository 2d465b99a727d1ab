// What one session holds, for a credential that sees this session alone. What belongs to another session is found as
// little as what never was: one question to the database each, which does not look beyond the session.
import { query, scalar } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";

/** True when `name` is a name of this session: its id, its native id, or the native id after the format. */
export function isNameOf(archive: Archive, sessionId: string, name: string): boolean {
  if (name === sessionId) return true;
  const row = query(archive.sqlite, { native: "sessions.native_id" }, "FROM sessions WHERE id = ?").get(sessionId);
  return row !== undefined && (row.native === name || row.native.slice(row.native.indexOf(":") + 1) === name);
}

/** Sessions that have an artifact by pointer, content id or digest; the newest first, and not without end. */
export function sessionsOfPointer(archive: Archive, ref: string): string[] {
  const { where, values } = conditionOf(ref);
  return query(
    archive.sqlite,
    { id: "sessions.id" },
    `SELECT DISTINCT s.id FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE ${where} ORDER BY s.pk DESC LIMIT 10000`,
  )
    .all(...values)
    .map(({ id }) => id);
}

/** The pointer of an artifact of this session by pointer, content id or digest; the newest where several fit. */
export function pointerIn(archive: Archive, sessionId: string, ref: string): string | null {
  const { where, values } = conditionOf(ref);
  const pointer = scalar(
    archive.sqlite,
    "artifacts.pointer",
    `SELECT a.pointer FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE s.id = ? AND ${where}
     ORDER BY a.created_at DESC, a.pk DESC LIMIT 1`,
  ).get(sessionId, ...values);
  return pointer ?? null;
}

function conditionOf(ref: string): { readonly where: string; readonly values: string[] } {
  const hex = /^(?:art:)?art_([0-9a-f]{16,64})$/.exec(ref)?.[1] ?? /^([0-9a-f]{64})$/.exec(ref)?.[1];
  return hex === undefined
    ? { where: "a.pointer = ?", values: [ref] }
    : { where: "a.digest >= ? AND a.digest < ?", values: [hex, `${hex}g`] };
}
