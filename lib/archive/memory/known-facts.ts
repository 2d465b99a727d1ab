// Facts that a compaction says anew: the newer word takes the place of the older.
import { command, query } from "#db/statement.ts";
import { factKey } from "#lib/kernel/memory/fact-key.ts";
import type { Archive } from "../base/archive-type.ts";
import { changeItem, itemById, liveItems } from "./item-rows.ts";

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
  for (const { item } of liveItems(archive, pk, "semantic")) {
    const { id, text, pinned, madeBy } = item;
    if (pinned || madeBy !== "compaction" || !keys.has(factKey(text)) || changed.get(id) !== undefined) continue;
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
