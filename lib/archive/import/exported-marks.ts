// Marks that an exported session brings: an archive where they are already keeps its own.
import { command } from "#db/statement.ts";
import type { SessionPatch } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { applyPatch, type SessionRow } from "./session-row.ts";

/** Takes over what a format learned of a session. */
export function patchSession({ sqlite }: Archive, session: SessionRow, patch: SessionPatch): void {
  applyPatch(session, patch);
  if (patch.marks === undefined) return;
  const insert = command(
    sqlite,
    "INSERT OR IGNORE INTO marks (session_pk, seq, kind, value, at) VALUES (?, ?, ?, ?, ?)",
  );
  for (const { seq, kind, value, at } of patch.marks) insert.run(session.pk, seq ?? 0, kind, value, Date.parse(at));
}
