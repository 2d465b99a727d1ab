// What is worked out when the end of a file is reached: whose its name is, what it shares with other sessions, who its
// parents and children are, and the figures that follow. All of it is a function of the set of files.
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { nameSessions, settleClaims } from "./claims.ts";
import { settleFigures } from "./figures.ts";
import { disown, partnersOf, settleLineage, sharingBelow } from "./lineage.ts";
import { settleParents } from "./parents.ts";
import { askForProgress, settleProgress } from "./progress-sessions.ts";
import { plucked, prepared } from "../base/statement-cache.ts";

/** Settles a source whose end was reached: what was appended to its sessions since the last time, by whatever reading. */
export function settleSource(archive: Archive, batch: Batch, sourcePk: number, nativeId: string): void {
  const isEarlier = plucked(archive.sqlite, "SELECT earlier FROM sources WHERE pk = ?").get(sourcePk) !== null;
  const moved = isEarlier ? [] : settleClaims(archive, batch, nativeId, sourcePk);
  const touched = new Set(settleMoved(archive, moved));
  settleProgress(archive, sourcePk);
  const sessions = prepared(
    archive.sqlite,
    "SELECT pk, next_seq AS nextSeq, coalesce(tally ->> 'settled', 1) AS settled, keyed_records AS records, coalesce(tally ->> 'settledRecords', 0) AS before, next_call AS nextCall, coalesce(tally ->> 'settledCalls', 1) AS callsBefore FROM sessions WHERE source_pk = ?",
  ).all(sourcePk) as {
    pk: number;
    nextSeq: number;
    settled: number;
    records: number;
    before: number;
    nextCall: number;
    callsBefore: number;
  }[];
  const note = prepared(
    archive.sqlite,
    "UPDATE sessions SET tally = json_set(tally, '$.settled', ?, '$.settledRecords', ?, '$.settledCalls', ?) WHERE pk = ?",
  );
  const grown = sessions.filter(({ nextSeq, settled }) => settled !== nextSeq);
  // Parents first: where a record belongs hangs on who is whose child.
  for (const { pk } of grown) settleParents(archive, pk);
  for (const { pk, nextSeq, settled, records, before, nextCall, callsBefore } of grown) {
    touched.add(pk);
    for (const other of settleLineage(archive, pk, { seq: settled, call: callsBefore }, before)) touched.add(other);
    // Its children's places in the order of sessions change when it appears, and not when it grows.
    if (settled === 1) for (const other of settleMoved(archive, sharingBelow(archive, pk))) touched.add(other);
    note.run(nextSeq, records, nextCall, pk);
  }
  for (const { pk } of sessions) if (hasOpenCalls(archive, pk)) touched.add(pk);
  for (const pk of touched) settleFigures(archive, pk);
}

/** Records that bring the usage of a call alone are no events. */
const hasOpenCalls = (archive: Archive, pk: number): boolean =>
  plucked(archive.sqlite, "SELECT 1 FROM model_calls WHERE session_pk = ? AND checksum IS NULL LIMIT 1").get(pk) !==
  undefined;

/** Settles a name that a source has given up. */
export function settleName(archive: Archive, batch: Batch, nativeId: string): void {
  askForProgress(archive, nativeId);
  for (const pk of settleMoved(archive, nameSessions(archive, batch, nativeId))) settleFigures(archive, pk);
}

/** After names changed: ties between histories of one length go by name, and children find their parents by it. */
function settleMoved(archive: Archive, moved: readonly number[]): Set<number> {
  const touched = new Set(moved.flatMap((pk) => [pk, ...partnersOf(archive, pk)]));
  for (const pk of touched) disown(archive, pk);
  for (const pk of moved) settleParents(archive, pk);
  return touched;
}
