// The write of a change to an item of memory.
import { query, select } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { MemoryChange, MemoryItemRow } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { rowRange } from "../base/row-keys.ts";
import { touch } from "./add-compaction.ts";
import { compactionRows } from "./compaction-rows.ts";
import { isSummaryItem, newItemOf, summaryItems } from "./summary-items.ts";
import { changeItem, insertItem, itemById, itemsOf, noteMade, type Change, type Changer } from "./item-rows.ts";
import { defineWrite, ofSession } from "../base/write.ts";

export type ChangeMemoryInput = {
  readonly sessionId: string;
  readonly id: string;
  readonly change: MemoryChange;
  readonly changer: Changer;
};

export function applyMemoryChange(
  archive: Archive,
  batch: Batch,
  { sessionId, id, change, changer }: ChangeMemoryInput,
): MemoryItemRow {
  const session = select(archive.sqlite, "sessions", ["pk"], "WHERE id = ?").get(sessionId);
  if (session === undefined) fail("not_found", `Session ${sessionId} no longer exists.`);
  const { pk } = session;
  const now = batch.now;
  if (change.do === "add") {
    const { kind, text, category, salience, tags, seqs } = change;
    const turns = turnsOf(archive, pk, seqs);
    const item = { id, kind, text, category, salience, confidence: null, tags, turns, seqs, madeBy: changer.by };
    insertItem(archive, pk, null, item, now);
    noteMade(archive, pk, id, changer.who, now);
  } else {
    adopt(archive, pk, sessionId, id, now);
    const item = itemById(archive, id);
    if (item === null || item.sessionPk !== pk) fail("not_found", `There is no item "${id}" in this session.`);
    const next = changeOf(item, change, now);
    // What changes nothing is no change: asked again, it answers the same.
    if (next !== null) changeItem(archive, item, change.do, next, changer.who, now);
  }
  touch(archive, pk);
  const { sessionPk: _, ...row } = itemById(archive, id)!;
  return row;
}

/** A fact that is only read off the agent's summary becomes an item of its own when it is changed. */
function adopt(archive: Archive, pk: number, sessionId: string, id: string, now: number): void {
  if (!isSummaryItem(id) || itemById(archive, id) !== null) return;
  const derived = summaryItems(sessionId, compactionRows(archive, pk), itemsOf(archive, pk)).find(
    (one) => one.id === id,
  );
  if (derived !== undefined) insertItem(archive, pk, null, newItemOf(derived), now);
}

function changeOf(item: MemoryItemRow, change: Exclude<MemoryChange, { do: "add" }>, now: number): Change | null {
  const isGone = item.deletedAt !== null;
  switch (change.do) {
    case "edit": {
      if (isGone) fail("conflict", "This item is deleted. Restore it first.");
      const { text = item.text, salience = item.salience, tags = item.tags } = change;
      const isSame =
        text === item.text && salience === item.salience && JSON.stringify(tags) === JSON.stringify(item.tags);
      return isSame ? null : { text, salience, tags };
    }
    case "pin":
    case "unpin": {
      if (isGone) fail("conflict", "This item is deleted. Restore it first.");
      const pinned = change.do === "pin";
      return pinned === item.pinned ? null : { pinned };
    }
    case "delete":
      return isGone ? null : { deletedAt: now };
    case "restore":
      return isGone ? { deletedAt: null } : null;
  }
}

function turnsOf(archive: Archive, pk: number, seqs: readonly number[]): number[] {
  if (seqs.length === 0) return [];
  const [base] = rowRange(pk);
  const rows = query(
    archive.sqlite,
    { turn: "events.turn" },
    "SELECT DISTINCT turn FROM events WHERE id IN (SELECT value + ? FROM json_each(?)) ORDER BY turn",
  ).all(base, JSON.stringify(seqs));
  return rows.map(({ turn }) => turn);
}

export const changeMemoryWrite = defineWrite("changeMemory", applyMemoryChange, {
  isWhole: true,
  session: ofSession,
  isBeside: true,
});
