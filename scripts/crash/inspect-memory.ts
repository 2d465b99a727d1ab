// What must hold of a session's log and memory after a kill: what was told is there once and in its place, a compaction is
// there with all that belongs to it or not at all, and both can be asked for again.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { compactSession, undoCompaction } from "#lib/archive/memory/compact.ts";
import { contextLog, lastSeqOf } from "#lib/archive/memory/context-rows.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { request, turnOf } from "#lib/archive/memory/testing-run.ts";
import { recordKey, rowRange, seqOfRow } from "#lib/archive/base/row-keys.ts";
import { compactionsOf } from "#lib/archive/base/session-rows.ts";
import { CRASH_SESSION } from "./crash-journal.ts";

export type IngestedState = {
  /** Seqs that were acknowledged, by uuid. */
  readonly ingested: ReadonlyMap<string, number>;
  readonly compacted: ReadonlySet<string>;
  readonly undone: ReadonlySet<string>;
  readonly maybeUndone: ReadonlySet<string>;
};

type Row = { id: string; status: string; pk: number; event_seq: number; undo_seq: number | null; epoch_after: number };

export function memoryTrouble(archive: Archive, state: IngestedState, when: string): string[] {
  const { sqlite } = archive;
  const pk = sqlite.prepare("SELECT pk FROM sessions WHERE native_id = ?").pluck().get(CRASH_SESSION) as number;
  const wrong: string[] = [];
  const ofKey = sqlite
    .prepare("SELECT id FROM events WHERE record_key = ? AND keyed = 1 AND id BETWEEN ? AND ?")
    .pluck();
  for (const [uuid, seq] of state.ingested) {
    const found = (ofKey.all(recordKey(uuid, new Uint8Array(0)), ...rowRange(pk)) as number[]).map(seqOfRow);
    if (found.length !== 1 || found[0] !== seq)
      wrong.push(`${when}: ${uuid} was event ${seq} and is ${found.join(", ")}`);
  }
  const rows = sqlite.prepare("SELECT * FROM compactions WHERE session_pk = ? ORDER BY pk").all(pk) as Row[];
  const typeOf = sqlite
    .prepare("SELECT type || coalesce(json_extract(body, '$.injected'), '') FROM events WHERE id = ?")
    .pluck();
  const at = (seq: number): unknown => typeOf.get(rowRange(pk, seq)[0]);
  for (const row of rows) {
    if (at(row.event_seq) !== "compaction") wrong.push(`${when}: ${row.id} has no event`);
    if (at(row.event_seq + 1) !== "usersummary") wrong.push(`${when}: ${row.id} has no summary`);
    if ((row.status === "undone") !== (row.undo_seq !== null)) wrong.push(`${when}: ${row.id} is half undone`);
    if (row.undo_seq !== null && at(row.undo_seq) !== "meta") wrong.push(`${when}: the undo of ${row.id} has no event`);
    const has = (table: string): number =>
      sqlite.prepare(`SELECT count(*) FROM ${table} WHERE compaction_pk = ?`).pluck().get(row.pk) as number;
    if (has("episodic_items") !== 1 || has("semantic_items") === 0) wrong.push(`${when}: ${row.id} has not its items`);
    if (has("snapshots") !== 1) wrong.push(`${when}: ${row.id} has not its snapshot`);
  }
  const events = sqlite.prepare("SELECT count(*) FROM events WHERE type = 'compaction' AND id BETWEEN ? AND ?").pluck();
  if (events.get(...rowRange(pk)) !== rows.length) wrong.push(`${when}: a compaction of the log has no row`);
  for (const id of state.compacted)
    if (!rows.some((row) => row.id === id)) wrong.push(`${when}: ${id} was acknowledged and is not there`);
  for (const row of rows) {
    if (state.undone.has(row.id) && row.status !== "undone")
      wrong.push(`${when}: ${row.id} was undone and holds again`);
    if (row.status === "undone" && !state.maybeUndone.has(row.id)) wrong.push(`${when}: ${row.id} is undone, unasked`);
  }
  const holding = compactionsOf(archive, pk).length;
  if (holding !== rows.filter(({ status }) => status !== "undone").length) wrong.push(`${when}: ${holding} hold`);
  if (contextLog(archive, pk, lastSeqOf(archive, pk)).rows.length === 0) wrong.push(`${when}: the context is empty`);
  return wrong;
}

/** A turn of four events; every third has an output that is kept as an artifact. */
export const crashTurn = (n: number) => turnOf(n, n % 3 === 0 ? 400 : 60);

/** Asks for all of it again: what is there is answered, what is not is done. */
export async function again(archive: Archive, turns: number): Promise<string[]> {
  const { sqlite } = archive;
  const count = (): unknown => sqlite.prepare("SELECT count(*) FROM events").pluck().get();
  for (let n = 1; n <= turns; n++) await ingest(archive, CRASH_SESSION, crashTurn(n));
  const events = count();
  for (let n = 1; n <= turns; n++) await ingest(archive, CRASH_SESSION, crashTurn(n));
  const wrong = count() === events ? [] : ["what was ingested twice is there twice"];
  const done = await compactSession(archive, CRASH_SESSION, request({ tail: 1 }));
  if (done.id !== null) await undoCompaction(archive, done.id);
  else if (done.status !== "nothing_to_compact") wrong.push(`compacted again: ${done.status}`);
  return wrong;
}
