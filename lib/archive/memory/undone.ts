// Compactions of ours that were undone. A compaction and its summary are one record of the log; what undoes it is a later
// record whose key is made of that one's, so that both are known again in every copy of the session.
import type { Archive } from "../archive.ts";
import { prepared } from "../import/prepared.ts";
import { exportedKey, recordKey, rowRange, seqOfRow } from "../keys.ts";

/** Said by the event that undoes one; its text is the compaction's id. */
export const UNDONE = "compaction_undone";

/** The uuid of a compaction's record, and of the record that undoes it. */
export const compactionUuid = (id: string): string => `compaction:${id}`;
export const undoUuid = (compaction: Uint8Array): string => `undo:${exportedKey(compaction)}`;

const NO_BYTES = new Uint8Array(0);

/** Events that stand in the log as if they had not been: compactions that were undone, and their summaries. */
export function undoneSeqs(archive: Archive, pk: number): ReadonlySet<number> {
  const range = rowRange(pk);
  // Most sessions have no compaction, and nothing more is asked of them.
  const compactions = prepared(
    archive.sqlite,
    "SELECT record_key AS key FROM events WHERE id BETWEEN ? AND ? AND type = 'compaction' AND keyed = 1",
  ).all(...range) as { key: Uint8Array | null }[];
  const ofKey = prepared(
    archive.sqlite,
    "SELECT id FROM events WHERE record_key = ? AND keyed = 1 AND id BETWEEN ? AND ?",
  );
  const seqs = new Set<number>();
  for (const { key } of compactions) {
    if (key === null || ofKey.get(recordKey(undoUuid(key), NO_BYTES), ...range) === undefined) continue;
    for (const { id } of ofKey.all(key, ...range) as { id: number }[]) seqs.add(seqOfRow(id));
  }
  return seqs;
}
