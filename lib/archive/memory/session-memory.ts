// The memory of a session: its epochs, compactions, items and recalls; and what people and agents change of its items.
import { columns, query } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { MemoryAnswer, MemoryChange, MemoryHistory, MemoryItemRow } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { IS_OWN } from "../import/session-row.ts";
import { allCompactionsOf, callsOf, epochStarts, versionOf } from "../base/session-rows.ts";
import { iso } from "../base/iso.ts";
import { write } from "../base/write.ts";
import { compactionRows } from "./compaction-rows.ts";
import { lastSeqOf } from "./context-rows.ts";
import { itemById, itemsOf, newItemId, type Changer } from "./item-rows.ts";
import { isSummaryItem, summaryItems } from "./summary-items.ts";
import { recallsOf } from "./recall-rows.ts";
import { changeMemoryWrite } from "./change-memory.ts";

export async function memoryOf(archive: Archive, name: string): Promise<MemoryAnswer> {
  const pk = findSession(archive, name);
  const session = query(
    archive.sqlite,
    { id: "sessions.id", own: "integer" },
    `SELECT id, ${IS_OWN} AS own FROM sessions WHERE pk = ?`,
  ).get(pk)!;
  const compactions = compactionRows(archive, pk);
  const stored = itemsOf(archive, pk);
  return {
    sessionId: session.id,
    held: session.own === 1,
    epochs: epochsOf(archive, pk, compactions),
    compactions,
    // A session of ours, and a memory folder, have items of their own.
    items: [...(session.own === 1 ? [] : summaryItems(session.id, compactions, stored)), ...stored],
    recalls: recallsOf(archive, pk),
    version: versionOf(archive, pk),
  };
}

function epochsOf(archive: Archive, pk: number, rows: MemoryAnswer["compactions"]): MemoryAnswer["epochs"] {
  const last = lastSeqOf(archive, pk);
  const calls = callsOf(archive, pk);
  const starts = [1, ...epochStarts(allCompactionsOf(archive, pk))];
  return starts.map((fromSeq, i) => {
    const toSeq = (starts[i + 1] ?? last + 1) - 1;
    const own = calls.filter(({ firstSeq }) => firstSeq >= fromSeq && firstSeq <= toSeq);
    const result = own.findLast(({ hasUsage }) => hasUsage === 1);
    return {
      epoch: i + 1,
      fromSeq,
      toSeq,
      calls: own.length,
      // A plan stands at an event too, and begins nothing.
      compactionId: i === 0 ? null : (rows.find((row) => row.kind !== "plan" && row.at === fromSeq)?.id ?? null),
      tokens: result === undefined ? null : result.uncached + result.cacheRead + result.cacheWrite,
    };
  });
}

/** Adds, edits, pins, deletes or restores an item; answers with the item as it is then. */
export async function changeMemory(
  archive: Archive,
  name: string,
  change: MemoryChange,
  changer: Changer,
): Promise<MemoryItemRow> {
  const pk = findSession(archive, name);
  const sessionId = sessionIdOf(archive, pk)!;
  const id = change.do === "add" ? newItemId(change.kind) : change.id;
  if (change.do !== "add") {
    // One that is read off the agent's summary has no row before it is changed.
    if (!isSummaryItem(id)) requireItem(archive, pk, id);
  } else {
    const last = lastSeqOf(archive, pk);
    const beyond = change.seqs.find((seq) => seq > last);
    if (beyond !== undefined) fail("not_found", `This session has no event ${beyond}: its last is ${last}.`);
  }
  return write(archive, changeMemoryWrite, { sessionId, id, change, changer });
}

/** What an item was before each change, oldest first. */
export async function memoryHistory(archive: Archive, name: string, id: string): Promise<MemoryHistory> {
  const pk = findSession(archive, name);
  const derived = (await memoryOf(archive, name)).items.find((one) => one.id === id && one.madeBy === "summary");
  if (derived !== undefined && itemById(archive, id) === null) return { item: derived, changes: [] };
  const { sessionPk: _, ...item } = requireItem(archive, pk, id);
  const rows = query(
    archive.sqlite,
    { ...columns("memory_changes", "did", "before", "at"), by: "memory_changes.changed_by" },
    "FROM memory_changes WHERE item_id = ? ORDER BY pk",
  ).all(id);
  return {
    item,
    changes: rows.map(({ did, before, by, at }) => ({
      did,
      before: before === null ? null : (JSON.parse(before) as MemoryItemRow),
      by,
      at: iso(at) ?? "",
    })),
  };
}

function requireItem(archive: Archive, pk: number, id: string) {
  const item = itemById(archive, id);
  // Of another session it is as unknown as one that never was.
  if (item === null || item.sessionPk !== pk)
    fail("not_found", `There is no item "${id.slice(0, 80)}" in the memory of this session.`);
  return item;
}
