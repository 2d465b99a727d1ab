// What is worked out when the end of a file is reached: whose its name is, what it shares with other sessions, who its
// parents and children are, and the figures that follow. All of it is a function of the set of files.
import { command, query, scalar, type Columns, type RowOf } from "#db/statement.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { nameSessions, settleClaims } from "./session-claims.ts";
import { priceAhead, settleFigures } from "./session-stats.ts";
import { disown, partnersOf, settleLineage, sharingBelow } from "./lineage.ts";
import { markObservedStale } from "./observed-stale.ts";
import { settleParents } from "./parents.ts";
import { askForProgress, settleProgress } from "./progress-sessions.ts";
import { sharedInPieces, type Shared } from "./shared-records.ts";

const GROWTH_COLUMNS = {
  pk: "sessions.pk",
  nextSeq: "sessions.next_seq",
  settled: "integer",
  records: "sessions.keyed_records",
  recordsBefore: "integer",
  startedBefore: "integer?",
  nextCall: "sessions.next_call",
  callsBefore: "integer",
} as const satisfies Columns;
type Growth = RowOf<typeof GROWTH_COLUMNS>;

/** The sessions of a source, and how far each was settled. */
const growthOf = (archive: Archive, sourcePk: number): Growth[] =>
  query(
    archive.sqlite,
    GROWTH_COLUMNS,
    "SELECT pk, next_seq AS nextSeq, coalesce(tally ->> 'settled', 1) AS settled, keyed_records AS records, coalesce(tally ->> 'settledRecords', 0) AS recordsBefore, tally ->> 'settledStart' AS startedBefore, next_call AS nextCall, coalesce(tally ->> 'settledCalls', 1) AS callsBefore FROM sessions WHERE source_pk = ?",
  ).all(sourcePk);

const isLong = ({ nextSeq, settled, nextCall, callsBefore }: Growth): boolean =>
  nextSeq - settled > LIMITS.settledEvents || nextCall - callsBefore > LIMITS.settledCalls;

/** True when settling a source takes so long that others should write meanwhile. */
export const isLongToSettle = (archive: Archive, sourcePk: number): boolean => growthOf(archive, sourcePk).some(isLong);

/**
 * What of settling a source can be done piece by piece: prices, and what its long sessions share with others. `between` is
 * awaited after each piece: others may write then. A reading that ends here is settled by the next.
 */
export async function settleAhead(
  archive: Archive,
  sourcePk: number,
  between: () => Promise<void>,
): Promise<ReadonlyMap<number, Shared>> {
  const found = new Map<number, Shared>();
  for (const { pk, settled, nextSeq, nextCall, callsBefore } of growthOf(archive, sourcePk).filter(isLong)) {
    await priceAhead(archive, pk, callsBefore - 1, between);
    const span = { from: { seq: settled, call: callsBefore }, end: { seq: nextSeq, call: nextCall } };
    const shared = await sharedInPieces(archive, pk, span, between);
    if (shared !== null) found.set(pk, shared);
  }
  return found;
}

/** Settles a source whose end was reached: what was appended to its sessions since the last time, by whatever reading. */
export function settleSource(
  archive: Archive,
  batch: Batch,
  sourcePk: number,
  nativeId: string,
  found: ReadonlyMap<number, Shared> = new Map(),
): void {
  markObservedStale(archive);
  const isEarlier = scalar(archive.sqlite, "sources.earlier", "FROM sources WHERE pk = ?").get(sourcePk) !== null;
  const moved = isEarlier ? [] : settleClaims(archive, batch, nativeId, sourcePk);
  const touched = new Set(settleMoved(archive, moved));
  settleProgress(archive, sourcePk);
  const sessions = growthOf(archive, sourcePk);
  const note = command(
    archive.sqlite,
    "UPDATE sessions SET tally = json_set(tally, '$.settled', ?, '$.settledRecords', ?, '$.settledCalls', ?, '$.settledStart', started_at) WHERE pk = ?",
  );
  const grown = sessions.filter(({ pk, nextSeq, settled }) => settled !== nextSeq || hasOpenCalls(archive, pk));
  // Parents first: where a record belongs hangs on who is whose child.
  for (const { pk } of grown) settleParents(archive, pk);
  for (const { pk, nextSeq, settled, records, recordsBefore, startedBefore, nextCall, callsBefore } of grown) {
    touched.add(pk);
    const from = { seq: settled, call: callsBefore };
    const before = { records: recordsBefore, startedAt: startedBefore };
    for (const other of settleLineage(archive, pk, from, before, found.get(pk))) touched.add(other);
    // Its children's positions in the order of sessions change when it appears, and not when it grows.
    if (settled === 1) for (const other of settleMoved(archive, sharingBelow(archive, pk))) touched.add(other);
    note.run(nextSeq, records, nextCall, pk);
  }
  for (const pk of touched) settleFigures(archive, pk);
}

/** Records that bring the usage of a call alone are no events, and its fullest copy may be another one by them. */
const hasOpenCalls = (archive: Archive, pk: number): boolean =>
  command(archive.sqlite, "SELECT 1 FROM model_calls WHERE session_pk = ? AND checksum IS NULL LIMIT 1").get(pk) !==
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
