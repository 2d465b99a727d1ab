// Pointers that outputs of a file had where the bundle was made. Reading the file gives nearly every output the same one; only
// where several copies of a session were read, their order decided which copy has the plain pointer.
import { command, query, select } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { artifactChecksum, artifactOfRow, registerAgain } from "../base/artifact-row.ts";
import type { Batch } from "../base/batch.ts";
import { rowRange } from "../base/row-keys.ts";
import { EVENT_ROW, eventChecksum } from "../import/event-checksum.ts";

export type PointerRow = { readonly seq: number | null; readonly digest: string; readonly pointer: string };

export const pointersOf = (archive: Archive, pk: number): PointerRow[] =>
  select(archive.sqlite, "artifacts", ["seq", "digest", "pointer"], "WHERE session_pk = ? ORDER BY seq, pk").all(pk);

/** Gives outputs the pointers that a bundle says; one that another output has stays as it is. */
export function givePointers(archive: Archive, batch: Batch, pk: number, wanted: readonly PointerRow[]): void {
  const { sqlite } = archive;
  const key = ({ seq, digest }: PointerRow): string => `${seq} ${digest}`;
  const theirs = Map.groupBy(wanted, key);
  const isTaken = command(sqlite, "SELECT 1 FROM artifacts WHERE pointer = ?");
  let isChanged = false;
  for (const own of pointersOf(archive, pk)) {
    const pointer = theirs.get(key(own))?.shift()?.pointer;
    if (pointer === undefined || pointer === own.pointer || isTaken.get(pointer) !== undefined) continue;
    const row = query(sqlite, { "*": "artifacts.*" }, "FROM artifacts WHERE pointer = ?").get(own.pointer)!;
    const checksum = artifactChecksum({ ...artifactOfRow(row), pointer });
    command(sqlite, "UPDATE artifacts SET pointer = ?, checksum = ? WHERE pk = ?").run(pointer, checksum, row.pk);
    renameInEvents(archive, pk, own, pointer);
    isChanged = true;
  }
  if (!isChanged) return;
  const { id } = select(sqlite, "sessions", ["id"], "WHERE pk = ?").get(pk)!;
  batch.unregister(id);
  registerAgain(archive, batch, pk);
}

function renameInEvents(archive: Archive, pk: number, { seq, pointer: before }: PointerRow, pointer: string): void {
  const { sqlite } = archive;
  const rows = query(sqlite, EVENT_ROW, "FROM events WHERE id BETWEEN ? AND ?");
  const [from, to] = seq === null ? rowRange(pk) : rowRange(pk, seq, seq);
  for (const row of rows.all(from, to)) {
    const artifact = row.artifact === before ? pointer : row.artifact;
    const body = row.body.replaceAll(before, pointer);
    if (artifact === row.artifact && body === row.body) continue;
    command(sqlite, "UPDATE events SET artifact = ?, body = ?, checksum = ? WHERE id = ?").run(
      artifact,
      body,
      eventChecksum({ ...row, artifact, body }),
      row.id,
    );
  }
}
