// Compactions of ours that were undone. A compaction and its summary are one record of the log; what undoes it is a later
// record whose key is made of that one's, so that both are known again in every copy of the session.
import { query, select } from "#db/statement.ts";
import type { Archive } from "./archive-type.ts";
import { exportedKey, recordKey, rowRange, seqOfRow } from "./row-keys.ts";

/** Said by the event that undoes one; its text is the compaction's id. */
export const UNDONE = "compaction_undone";

/** The uuid of a compaction's record, and of the record that undoes it. */
export const compactionUuid = (id: string): string => `compaction:${id}`;
export const undoUuid = (compaction: Uint8Array): string => `undo:${exportedKey(compaction)}`;

const NO_BYTES = new Uint8Array(0);

export type Undone = {
  /** The compaction's events: itself and its summary. */
  readonly seqs: readonly number[];
  /** The event that undid it. */
  readonly undoneBy: number;
};

/** Compactions that were undone, in the order of the log. */
export function undoneCompactions(archive: Archive, pk: number): Undone[] {
  const range = rowRange(pk);
  // Most sessions have no compaction, and nothing more is asked of them.
  const compactions = query(
    archive.sqlite,
    { key: "events.record_key" },
    "FROM events WHERE id BETWEEN ? AND ? AND type = 'compaction' AND keyed = 1 ORDER BY id",
  ).all(...range);
  const ofKey = select(archive.sqlite, "events", ["id"], "WHERE record_key = ? AND keyed = 1 AND id BETWEEN ? AND ?");
  return compactions.flatMap(({ key }): Undone[] => {
    if (key === null) return [];
    const undo = ofKey.get(recordKey(undoUuid(key), NO_BYTES), ...range);
    if (undo === undefined) return [];
    const seqs = ofKey.all(key, ...range).map(({ id }) => seqOfRow(id));
    return [{ seqs, undoneBy: seqOfRow(undo.id) }];
  });
}
