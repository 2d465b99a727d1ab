// Which sessions are memory folders that somebody attached.
import type { Archive } from "../base/archive-type.ts";
import { prepared } from "../base/statement-cache.ts";

export type AttachedRow = {
  readonly pk: number;
  readonly sessionId: string;
  readonly nativeId: string;
  readonly path: string;
  readonly generation: 1 | 2 | null;
  readonly fingerprint: string;
  readonly refuses: string | null;
  readonly attachedAt: number;
  readonly readAt: number;
  readonly events: number;
};

const SELECT = `SELECT s.pk, s.id AS sessionId, s.native_id AS nativeId, a.path, a.generation, a.fingerprint, a.refuses,
  a.attached_at AS attachedAt, a.read_at AS readAt, s.next_seq - 1 AS events FROM attached a JOIN sessions s ON s.pk = a.session_pk`;

/** The folder of a session; null for a session that is none. */
export const attachedOf = (archive: Archive, pk: number): AttachedRow | null =>
  (prepared(archive.sqlite, `${SELECT} WHERE a.session_pk = ?`).get(pk) as AttachedRow | undefined) ?? null;

export const attachedAt = (archive: Archive, path: string): AttachedRow | null =>
  (prepared(archive.sqlite, `${SELECT} WHERE a.path = ?`).get(path) as AttachedRow | undefined) ?? null;

export const attachedRows = (archive: Archive): AttachedRow[] =>
  prepared(archive.sqlite, `${SELECT} ORDER BY a.attached_at, s.pk`).all() as AttachedRow[];
