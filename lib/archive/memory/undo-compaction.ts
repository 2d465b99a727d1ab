// The write that undoes a compaction. Nothing is taken out of the log: a later record says that the compaction does not
// hold, and the context goes on as if it had not been.
import { columns, command, query, select, type Columns, type RowOf } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { ownSession } from "../artifacts/held-session.ts";
import type { Batch } from "../base/batch.ts";
import { settleFigures } from "../import/session-stats.ts";
import { SessionWriter } from "../import/session-writer.ts";
import { eventRowId } from "../base/row-keys.ts";
import { compactionsOf } from "../base/session-rows.ts";
import { touch } from "./add-compaction.ts";
import { changeItem, itemById } from "./item-rows.ts";
import { restoreFacts } from "./known-facts.ts";
import { rewindSnapshot } from "./snapshot-rows.ts";
import { UNDONE, undoUuid } from "../base/undone-compactions.ts";
import { defineWrite, ofSession } from "../base/write.ts";

const ROW_COLUMNS = {
  ...columns("compactions", "pk", "id", "session_pk", "kind", "status", "event_seq"),
  sessionId: "sessions.id",
} as const satisfies Columns;
type Row = RowOf<typeof ROW_COLUMNS>;

export type UndoInput = { readonly id: string; readonly sessionId: string };

export const compactionById = (archive: Archive, id: string): Row | undefined =>
  query(
    archive.sqlite,
    ROW_COLUMNS,
    `SELECT c.pk, c.id, s.id AS sessionId, c.session_pk, c.kind, c.status, c.event_seq FROM compactions c JOIN sessions s ON s.pk = c.session_pk
       WHERE c.id = ?`,
  ).get(id);

export const requireCompaction = (archive: Archive, id: string): Row =>
  compactionById(archive, id) ??
  fail("not_found", `No compaction "${id.slice(0, 80)}". List them: plimsoll memory SESSION`);

/** Asked again, it does nothing more. */
export function undoCompaction(archive: Archive, batch: Batch, { id }: UndoInput): void {
  const row = requireCompaction(archive, id);
  if (row.status === "undone") return;
  const undoSeq = row.kind === "applied" ? append(archive, batch, row) : null;
  command(archive.sqlite, "UPDATE compactions SET status = 'undone', undo_seq = ?, undone_at = ? WHERE pk = ?").run(
    undoSeq,
    batch.now,
    row.pk,
  );
  for (const itemId of itemsOfCompaction(archive, row.pk)) {
    const item = itemById(archive, itemId)!;
    if (item.deletedAt === null) changeItem(archive, item, "delete", { deletedAt: batch.now }, "undo", batch.now);
  }
  if (undoSeq !== null) restoreFacts(archive, row.session_pk, id, batch.now);
  rewindSnapshot(archive, batch, row.session_pk, row.pk);
  if (undoSeq === null) touch(archive, row.session_pk);
}

function itemsOfCompaction(archive: Archive, pk: number): string[] {
  const rows = select(
    archive.sqlite,
    "episodic_items",
    ["id"],
    "WHERE compaction_pk = @pk UNION ALL SELECT id FROM semantic_items WHERE compaction_pk = @pk",
  ).all({ pk });
  return rows.map(({ id }) => id);
}

/** Fails when a later compaction holds: its summary stands for this one's too. */
export function requireLast(archive: Archive, pk: number, eventSeq: number): void {
  const later = compactionsOf(archive, pk).findLast(({ kind, seq }) => kind === "full" && seq > eventSeq);
  if (later !== undefined)
    fail(
      "conflict",
      `Another compaction came after this one (event ${later.seq}), and its summary includes this one. Undo that one first.`,
    );
}

function append(archive: Archive, batch: Batch, { id, session_pk: pk, sessionId, event_seq: eventSeq }: Row): number {
  requireLast(archive, pk, eventSeq!);
  return appendUndone(archive, batch, sessionId, eventSeq!, id);
}

/** Appends what says that the compaction at an event does not hold. */
export function appendUndone(
  archive: Archive,
  batch: Batch,
  sessionId: string,
  eventSeq: number,
  text: string,
): number {
  const session = ownSession(archive, sessionId);
  const { key } = query(archive.sqlite, { key: "events.record_key!" }, "FROM events WHERE id = ?").get(
    eventRowId(session.pk, eventSeq),
  )!;
  const writer = new SessionWriter(archive, batch, session);
  const seq = session.nextSeq;
  const body = { type: "meta" as const, subtype: UNDONE, text };
  const draft = { kind: "event", lane: "", ts: batch.now, body, callKey: null, startsTurn: false } as const;
  writer.append([{ ...draft, recordKey: undoUuid(key) }], { from: "held" });
  writer.save(batch.now);
  settleFigures(archive, session.pk);
  return seq;
}

export const undoCompactionWrite = defineWrite("undoCompaction", undoCompaction, {
  isWhole: true,
  session: ofSession,
  isBeside: true,
});
