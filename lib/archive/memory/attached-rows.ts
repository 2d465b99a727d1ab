// Which sessions are memory folders that somebody attached.
import { columns, query, type Columns, type RowOf } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";

const ATTACHED_ROW_COLUMNS = {
  pk: "sessions.pk",
  sessionId: "sessions.id",
  nativeId: "sessions.native_id",
  ...columns("attached", "path", "generation", "fingerprint", "refuses"),
  attachedAt: "attached.attached_at",
  readAt: "attached.read_at",
  events: "integer",
} as const satisfies Columns;
export type AttachedRow = RowOf<typeof ATTACHED_ROW_COLUMNS>;

const SELECT = `SELECT s.pk, s.id AS sessionId, s.native_id AS nativeId, a.path, a.generation, a.fingerprint, a.refuses,
  a.attached_at AS attachedAt, a.read_at AS readAt, s.next_seq - 1 AS events FROM attached a JOIN sessions s ON s.pk = a.session_pk`;

/** The folder of a session; null for a session that is none. */
export const attachedOf = (archive: Archive, pk: number): AttachedRow | null =>
  query(archive.sqlite, ATTACHED_ROW_COLUMNS, `${SELECT} WHERE a.session_pk = ?`).get(pk) ?? null;

export const attachedAt = (archive: Archive, path: string): AttachedRow | null =>
  query(archive.sqlite, ATTACHED_ROW_COLUMNS, `${SELECT} WHERE a.path = ?`).get(path) ?? null;

export const attachedRows = (archive: Archive): AttachedRow[] =>
  query(archive.sqlite, ATTACHED_ROW_COLUMNS, `${SELECT} ORDER BY a.attached_at, s.pk`).all();
