// Whose something is, asked by a node of a fleet before it decides where a request is answered.
import { query } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";

export type Owner = { readonly id: string; readonly isHeld: boolean };

const SESSION = "SELECT s.id, s.held";
const QUESTIONS = {
  session: `${SESSION} FROM sessions s WHERE s.id = ?`,
  pointer: `${SESSION} FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE a.pointer = ?`,
  compaction: `${SESSION} FROM compactions c JOIN sessions s ON s.pk = c.session_pk WHERE c.id = ?`,
} as const;

/** The session that this archive has under a name; null where it has none. */
export function ownerIn(archive: Archive, kind: keyof typeof QUESTIONS, name: string): Owner | null {
  const row = query(archive.sqlite, { id: "sessions.id", held: "sessions.held" }, QUESTIONS[kind]).get(name);
  return row === undefined ? null : { id: row.id, isHeld: row.held === 1 };
}
