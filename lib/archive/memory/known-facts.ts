// Facts that a session's memory has: what a compaction need not say again, and what the newer word of it takes the place of. Facts
// of plans are none of them: each plan stands for itself.
import { factKey } from "#lib/kernel/memory/fact-key.ts";
import type { Archive } from "../base/archive-type.ts";
import { prepared } from "../base/statement-cache.ts";
import { changeItem, itemById } from "./item-rows.ts";

type Row = { readonly id: string; readonly fact: string; readonly pinned: number; readonly made_by: string };

const LIVE = `SELECT i.id, i.fact, i.pinned, i.made_by FROM semantic_items i LEFT JOIN compactions c ON c.pk = i.compaction_pk
  WHERE i.session_pk = ? AND i.deleted_at IS NULL AND (c.kind IS NULL OR c.kind = 'applied') ORDER BY i.pk`;

const liveFacts = (archive: Archive, pk: number): Row[] => prepared(archive.sqlite, LIVE).all(pk) as Row[];

export const knownFacts = (archive: Archive, pk: number): string[] => liveFacts(archive, pk).map(({ fact }) => fact);

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
  const changed = prepared(archive.sqlite, "SELECT 1 FROM memory_changes WHERE item_id = ? AND did = 'edit'");
  for (const { id, fact, pinned, made_by: by } of liveFacts(archive, pk)) {
    if (pinned === 1 || by !== "compaction" || !keys.has(factKey(fact)) || changed.get(id) !== undefined) continue;
    changeItem(archive, itemById(archive, id)!, SUPERSEDED, { deletedAt: now }, compactionId, now);
  }
}

/** Brings back the facts whose place a compaction took that is undone. */
export function restoreFacts(archive: Archive, pk: number, compactionId: string, now: number): void {
  const rows = prepared(
    archive.sqlite,
    "SELECT item_id AS id FROM memory_changes WHERE session_pk = ? AND did = ? AND changed_by = ? ORDER BY pk",
  ).all(pk, SUPERSEDED, compactionId) as { id: string }[];
  for (const { id } of rows) {
    const item = itemById(archive, id);
    if (item !== null && item.deletedAt !== null)
      changeItem(archive, item, "restore", { deletedAt: null }, "undo", now);
  }
}
