// The items of a memory folder as memory items of its session. What a person changed of one here stays, until its agent
// writes another text; what is gone from the folder is deleted here, and its history tells.
import type { Rows } from "#db/schema.ts";
import { command, select } from "#db/statement.ts";
import type { EpisodicItem, SemanticItem } from "#lib/kernel/memory/memory-types.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { touch } from "./add-compaction.ts";
import { changeItem, itemById } from "./item-rows.ts";
import { addGiven } from "./store-writes.ts";
import type { Seen } from "./read-directory.ts";

type Row = Pick<Rows["episodic_items"], "id" | "given" | "deleted_at" | "compaction_pk">;

type Made = Pick<Batch, "now" | "newId">;

const BY = "memory folder";

export function syncItems(archive: Archive, pk: number, seen: Pick<Seen, "episodic" | "semantic">, batch: Made): void {
  const episodic = syncTable(archive, pk, "episodic_items", seen.episodic, batch);
  const semantic = syncTable(archive, pk, "semantic_items", seen.semantic, batch);
  if (episodic || semantic) touch(archive, pk);
}

function syncTable(
  archive: Archive,
  pk: number,
  table: "episodic_items" | "semantic_items",
  items: readonly (EpisodicItem | SemanticItem)[],
  batch: Made,
): boolean {
  const { now } = batch;
  const rows = select(
    archive.sqlite,
    table,
    ["id", "given", "deleted_at", "compaction_pk"],
    "WHERE session_pk = ? ORDER BY deleted_at IS NOT NULL, pk",
  ).all(pk);
  // Agents give an id twice: the first row of an id is the first item of it.
  const byId = Map.groupBy(rows, nameOf);
  const setGiven = command(archive.sqlite, `UPDATE ${table} SET given = ? WHERE id = ?`);
  let isNews = false;
  for (const item of items) {
    const given = JSON.stringify(item);
    const row = byId.get(item.id)?.shift();
    if (row === undefined) {
      addGiven(archive, pk, null, item, batch);
      isNews = true;
    } else if (row.given !== given) {
      setGiven.run(given, row.id);
      // Of a compaction of ours the item here is what was written there.
      if (row.given === null || row.deleted_at !== null) continue;
      const text = "fact" in item ? item.fact : item.summary;
      const change = { text, salience: item.salience, tags: item.tags ?? [] };
      changeItem(archive, itemById(archive, row.id)!, "edit", change, BY, now);
      isNews = true;
    }
  }
  for (const row of [...byId.values()].flat()) {
    const isOfFolder = row.given !== null || row.compaction_pk !== null;
    if (!isOfFolder || row.deleted_at !== null) continue;
    changeItem(archive, itemById(archive, row.id)!, "delete", { deletedAt: now }, BY, now);
    isNews = true;
  }
  return isNews;
}

const nameOf = ({ id, given }: Row): string => (given === null ? id : (JSON.parse(given) as { id: string }).id);
