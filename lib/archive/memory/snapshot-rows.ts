// The contexts that an agent keeps of its memory, one an epoch.
import { columns, command, query, scalar } from "#db/statement.ts";
import type { MemorySnapshot } from "#lib/kernel/memory/memory-types.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { defineWrite, ofSession } from "../base/write.ts";
import { heldSession } from "../artifacts/held-session.ts";

export type SaveSnapshotInput = { readonly sessionId: string; readonly snapshot: MemorySnapshot };

/** The context of the epoch that is there grows in its row; another epoch gets its own. */
export function saveSnapshot(archive: Archive, batch: Batch, { sessionId, snapshot }: SaveSnapshotInput): void {
  const { pk } = heldSession(archive, sessionId);
  const now = newestSnapshot(archive, pk);
  if (now === null || now.snapshot.epochId !== snapshot.epochId) insertSnapshot(archive, batch, pk, snapshot);
  else
    command(archive.sqlite, "UPDATE snapshots SET messages = ?, about = ? WHERE session_pk = ? AND epoch = ?").run(
      ...snapshotColumns(snapshot),
      pk,
      now.epoch,
    );
}

/** Where the epoch of a compaction that is undone has a context of its agent's, the one before it is taken up again. */
export function rewindSnapshot(archive: Archive, batch: Batch, pk: number, compactionPk: number): void {
  const epoch = scalar(
    archive.sqlite,
    "snapshots.epoch",
    "FROM snapshots WHERE compaction_pk = ? AND about IS NOT NULL",
  ).get(compactionPk);
  const now = newestSnapshot(archive, pk);
  const before = epoch === undefined ? null : newestSnapshot(archive, pk, epoch);
  if (before === null || now === null) return;
  // Epochs never go back: a usage of the epoch that is undone is to be known as old.
  insertSnapshot(archive, batch, pk, { ...before.snapshot, epochId: now.snapshot.epochId + 1 });
}

function insertSnapshot(archive: Archive, batch: Batch, pk: number, snapshot: MemorySnapshot): void {
  const last = scalar(
    archive.sqlite,
    "integer",
    "SELECT coalesce(max(epoch), 0) FROM snapshots WHERE session_pk = ?",
  ).get(pk)!;
  command(
    archive.sqlite,
    "INSERT INTO snapshots (session_pk, epoch, messages, about, created_at) VALUES (?, ?, ?, ?, ?)",
  ).run(pk, last + 1, ...snapshotColumns(snapshot), batch.now);
}

export const snapshotColumns = ({ messages, ...about }: MemorySnapshot): [string, string] => [
  JSON.stringify(messages),
  JSON.stringify(about),
];

/** The context that an agent kept last, or last before an epoch. */
export function newestSnapshot(
  archive: Archive,
  pk: number,
  before = Number.MAX_SAFE_INTEGER,
): { readonly epoch: number; readonly snapshot: MemorySnapshot } | null {
  const row = query(
    archive.sqlite,
    { ...columns("snapshots", "epoch", "messages"), about: "snapshots.about!" },
    "FROM snapshots WHERE session_pk = ? AND about IS NOT NULL AND epoch < ? ORDER BY epoch DESC LIMIT 1",
  ).get(pk, before);
  if (row === undefined) return null;
  const about = JSON.parse(row.about) as Omit<MemorySnapshot, "messages">;
  return { epoch: row.epoch, snapshot: { ...about, messages: JSON.parse(row.messages) as MemorySnapshot["messages"] } };
}

export const saveSnapshotWrite = defineWrite("saveSnapshot", saveSnapshot, { session: ofSession });
