// Facts that a compaction says anew: the newer word takes the place of the older. Facts of plans are none of them: each plan stands
// for itself.
import { columns, command, query, type RowOf } from "#db/statement.ts";
import { factKey } from "#lib/kernel/memory/fact-key.ts";
import type { Archive } from "../base/archive-type.ts";
import { changeItem, itemById } from "./item-rows.ts";

const ROW_COLUMNS = columns("semantic_items", "id", "fact", "pinned", "made_by");
type Row = RowOf<typeof ROW_COLUMNS>;

const LIVE = `SELECT i.id, i.fact, i.pinned, i.made_by FROM semantic_items i LEFT JOIN compactions c ON c.pk = i.compaction_pk
  WHERE i.session_pk = ? AND i.deleted_at IS NULL AND (c.kind IS NULL OR c.kind = 'applied') ORDER BY i.pk`;

const liveFacts = (archive: Archive, pk: number): Row[] => query(archive.sqlite, ROW_COLUMNS, LIVE).all(pk);

/** What a history says of an item whose place a newer one of the same thing took. */
const SUPERSEDED = "supersede";

/** Ends the facts that a compaction says anew in other words; what a person wrote, changed or pinned stays. */
export function supersedeFacts(
  archive: Archive,
  pk: number,
  facts: readonly string[],
  compactionId: string,
  now: number,
): void {
  const keys = new Set(facts.map(factKey));
  const changed = command(archive.sqlite, "SELECT 1 FROM memory_changes WHERE item_id = ? AND did = 'edit'");
  for (const { id, fact, pinned, made_by: by } of liveFacts(archive, pk)) {
    if (pinned === 1 || by !== "compaction" || !keys.has(factKey(fact)) || changed.get(id) !== undefined) continue;
    changeItem(archive, itemById(archive, id)!, SUPERSEDED, { deletedAt: now }, compactionId, now);
  }
}

/** Brings back the facts whose place a compaction took that is undone. */
export function restoreFacts(archive: Archive, pk: number, compactionId: string, now: number): void {
  const rows = query(
    archive.sqlite,
    { id: "memory_changes.item_id" },
    "FROM memory_changes WHERE session_pk = ? AND did = ? AND changed_by = ? ORDER BY pk",
  ).all(pk, SUPERSEDED, compactionId);
  for (const { id } of rows) {
    const item = itemById(archive, id);
    if (item !== null && item.deletedAt !== null)
      changeItem(archive, item, "restore", { deletedAt: null }, "undo", now);
  }
}
