// Taking out this archive's copy of a session that Plimsoll holds: another node of the fleet has it, or has more of it. What the
// fleet keeps of it stays.
import { command, select } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { keepVersion } from "../base/first-version.ts";
import { dropEvents } from "../base/drop-events.ts";
import { rowRange } from "../base/row-keys.ts";
import { dropSessionDocs } from "../base/search-file.ts";
import { defineWrite } from "../base/write.ts";

/** Whether there was one. */
function dropHeld(archive: Archive, batch: Batch, { sessionId }: { readonly sessionId: string }): boolean {
  const { sqlite } = archive;
  const row = select(sqlite, "sessions", ["pk", "id"], "WHERE id = ? AND held = 1").get(sessionId);
  if (row === undefined) return false;
  dropEvents(archive, rowRange(row.pk));
  for (const table of ["artifact_reads", "deleted_pointers"])
    command(sqlite, `DELETE FROM ${table} WHERE pointer IN (SELECT pointer FROM artifacts WHERE session_pk = ?)`).run(
      row.pk,
    );
  keepVersion(archive, row.pk);
  command(sqlite, "DELETE FROM sessions WHERE pk = ?").run(row.pk);
  dropSessionDocs(archive, row.pk);
  batch.forget(row.id);
  return true;
}

export const dropHeldWrite = defineWrite("dropHeld", dropHeld, { freesRoom: true });
