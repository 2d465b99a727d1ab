// Shared history. A fork or resume copies records into a new file, and a sub-agent may repeat its parent's answers under new
// record ids: each record and model call belongs to exactly one session that holds it: the one that began first, of those with
// one beginning the one with the fewest records (ties: the smaller name; a named parent comes before its children); in the
// others it is inherited. A tail that was copied behind a summary began when the tail did, after its original.
import { columns, command, query, scalar } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange } from "../base/row-keys.ts";
import { captured } from "#lib/formats/captured.ts";
import { agentOfProgress, NO_USAGE, type Usage } from "#lib/kernel/draft.ts";
import { setInherited } from "./event-checksum.ts";
import { CALL_HOLDERS, RECORD_HOLDERS, sharedFrom, type Position, type Shared } from "./shared-records.ts";
import { readCounters } from "./session-counters.ts";

/** Sessions that hold records of this one. */
export const partnersOf = (archive: Archive, pk: number): number[] =>
  scalar(archive.sqlite, "lineage.other_pk", "FROM lineage WHERE session_pk = ?").all(pk);

/** How far a session went when it was settled last. */
export type Extent = { readonly records: number; readonly startedAt: number | null };

/**
 * Settles what a session shares with others after events and calls from these on were appended to it; `before` says how it
 * was then. Returns the others whose shares may have changed.
 */
export function settleLineage(
  archive: Archive,
  pk: number,
  from: Position,
  before: Extent,
  found: Shared | null = null,
): number[] {
  const { sqlite } = archive;
  const known = partnersOf(archive, pk);
  const { records, calls } = found === null ? sharedFrom(archive, pk, from) : withoutGone(archive, found);
  const add = command(
    sqlite,
    "INSERT INTO lineage (session_pk, other_pk, records) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET records = records + excluded.records",
  );
  for (const [other, count] of records) {
    add.run(pk, other, count);
    add.run(other, pk, count);
  }
  const join = command(sqlite, "INSERT OR IGNORE INTO lineage (session_pk, other_pk, records) VALUES (?, ?, 0)");
  for (const other of calls) {
    join.run(pk, other);
    join.run(other, pk);
  }
  const isJoined = records.size + calls.size > 0;
  if (known.length === 0 && !isJoined) return [];
  const self = rankOf(archive, pk);
  const turned = known.filter((other) => {
    const rank = rankOf(archive, other);
    return isBefore(rank, self) !== isBefore(rank, { ...self, ...before });
  });
  // Where it only went on, its new events alone are looked at.
  disown(archive, pk, isJoined || turned.length > 0 ? 0 : from.seq);
  // What it has as its own was that of the first behind it. Others behind it had inherited that, and do: of a session that is
  // copied a hundred times few change.
  const changed = new Set([...turned, ...(isJoined ? heirsOf(archive, [pk], from) : [])]);
  for (const other of changed) disown(archive, other);
  return [...changed];
}

/** Sessions that would have something of these, from a position on, as their own without them: the first behind them that hold it. */
export function heirsOf(
  archive: Archive,
  pks: readonly number[],
  { seq, call }: Position = { seq: 0, call: 0 },
): number[] {
  const partners = new Set(pks.flatMap((pk) => partnersOf(archive, pk)));
  for (const pk of pks) partners.delete(pk);
  if (partners.size === 0) return [];
  const order = [...partners]
    .map((pk) => ({ pk, rank: rankOf(archive, pk) }))
    .toSorted((a, b) => (isBefore(a.rank, b.rank) ? -1 : 1));
  const positions = new Map(order.map(({ pk }, position) => [pk, position]));
  const holders = scalar(
    archive.sqlite,
    "text",
    `SELECT ${RECORD_HOLDERS}
         FROM (SELECT DISTINCT record_key FROM events WHERE id BETWEEN @from AND @last AND keyed = 1 AND inherited = 0) e
       UNION ALL SELECT ${CALL_HOLDERS}
         FROM model_calls m WHERE m.session_pk = @pk AND m.call >= @call AND m.inherited = 0 AND m.key NOT LIKE 'n:%'`,
  );
  const heirs = new Set<number>();
  for (const pk of pks) {
    const [first, last] = rowRange(pk);
    for (const list of holders.iterate({ pk, call, from: first + seq, last })) {
      const found = (JSON.parse(list) as number[]).flatMap((one) => positions.get(one) ?? []);
      if (found.length > 0) heirs.add(order[Math.min(...found)]!.pk);
    }
  }
  return [...heirs];
}

/** Sessions that were taken out since share nothing. */
function withoutGone(archive: Archive, { records, calls }: Shared): Shared {
  const isThere = command(archive.sqlite, "SELECT 1 FROM sessions WHERE pk = ?");
  const has = (pk: number): boolean => isThere.get(pk) !== undefined;
  return {
    records: new Map([...records].filter(([other]) => has(other))),
    calls: new Set([...calls].filter(has)),
  };
}

/** Works out anew what of a session is its own, from an event on. */
export function disown(archive: Archive, pk: number, fromSeq = 0): void {
  const { sqlite } = archive;
  const self = rankOf(archive, pk);
  const origins = partnersOf(archive, pk).filter((other) => isBefore(rankOf(archive, other), self));
  const [from, to] = rowRange(pk);
  const list = JSON.stringify(origins);
  // Nearly always it shares with nobody before it: no record is looked up for that.
  const isAlone = origins.length === 0;
  const isCopied = isAlone
    ? "0"
    : `EXISTS (SELECT 1 FROM json_each(@list) l CROSS JOIN events o WHERE o.record_key = events.record_key AND o.keyed = 1
         AND o.id BETWEEN l.value * 4294967296 AND l.value * 4294967296 + 4294967295)`;
  command(
    sqlite,
    `UPDATE events SET ${setInherited(isCopied)} WHERE id BETWEEN @from AND @to AND keyed = 1 ${isAlone ? "AND inherited = 1" : ""}`,
  ).run({ from: from + fromSeq, to, list });
  const isShared = isAlone
    ? "0"
    : `EXISTS (SELECT 1 FROM model_calls o WHERE o.key = model_calls.key
         AND o.session_pk IN (SELECT value FROM json_each(@list)))`;
  // Only rows that change are written: a growing fork has thousands that do not.
  command(
    sqlite,
    `UPDATE model_calls SET inherited = ${isShared}, checksum = NULL
       WHERE session_pk = @pk AND key NOT LIKE 'n:%' AND inherited <> ${isShared}`,
  ).run({ pk, list });
  recountUsage(archive, pk);
}

/** True when what both hold is the other's. */
export const isOrigin = (archive: Archive, otherPk: number, pk: number): boolean =>
  isBefore(rankOf(archive, otherPk), rankOf(archive, pk));

type Rank = Extent & { readonly depth: number; readonly name: string };

/** One order of all sessions: a record is never inherited by all that hold it. */
function isBefore(other: Rank, self: Rank): boolean {
  if (other.depth !== self.depth) return other.depth < self.depth;
  if (other.startedAt !== self.startedAt) return (other.startedAt ?? Infinity) < (self.startedAt ?? Infinity);
  return other.records < self.records || (other.records === self.records && other.name < self.name);
}

/** Levels of parents that are walked: sub-agents nest a few, and a file may name anything, itself too. */
const LEVELS = 16;

/** A session that names a parent comes after it, however few records it has: agents repeat what their parents said. */
function rankOf(archive: Archive, pk: number): Rank {
  const { name, parent, earlier, lane, format, ...extent } = query(
    archive.sqlite,
    {
      records: "sessions.keyed_records",
      startedAt: "sessions.started_at",
      name: "sessions.native_id",
      parent: "sessions.parent_native",
      ...columns("sessions", "earlier", "lane", "format"),
    },
    "FROM sessions WHERE pk = ?",
  ).get(pk)!;
  // Earlier versions of files come after everything that files hold now, the latest of them first.
  if (earlier !== null) return { depth: Number.MAX_SAFE_INTEGER - earlier, name, ...extent };
  const parentOf = scalar(archive.sqlite, "sessions.parent_native", "FROM sessions WHERE native_id = ?");
  let depth = 0;
  for (let above: string | null = parent; above != null && depth < LEVELS; depth++) above = parentOf.get(above) ?? null;
  // What a parent tells in passing of its sub-agent, and what was captured on the way, is the agent's own, wherever that stands.
  const isTold = agentOfProgress(lane) !== null || format === captured.id;
  return { depth: isTold ? depth + LEVELS : depth, name, ...extent };
}

/** Sessions whose position in that order hangs on this one: its children, and theirs, that share records with others. */
export function sharingBelow(archive: Archive, pk: number): number[] {
  return scalar(
    archive.sqlite,
    "sessions.pk",
    `WITH RECURSIVE below (pk, name, level) AS (
         SELECT pk, native_id, 0 FROM sessions WHERE pk = ?
         UNION ALL SELECT s.pk, s.native_id, level + 1 FROM sessions s JOIN below b ON s.parent_native = b.name WHERE level < ?)
       SELECT DISTINCT pk FROM below WHERE level > 0 AND EXISTS (SELECT 1 FROM lineage WHERE session_pk = below.pk)`,
  ).all(pk, LEVELS);
}

/** Own and whole usage from the rows: after lineage moved, sums are taken anew. */
function recountUsage(archive: Archive, pk: number): void {
  const rows = query(
    archive.sqlite,
    {
      inherited: "model_calls.inherited",
      calls: "integer",
      inputUncached: "integer",
      cacheRead: "integer",
      cacheWrite: "integer",
      cacheWrite1h: "integer",
      output: "integer",
      reasoning: "integer",
      webSearches: "integer",
    },
    `SELECT inherited, count(*) AS calls, sum(input_uncached) AS inputUncached, sum(cache_read) AS cacheRead, sum(cache_write) AS cacheWrite,
         sum(cache_write_1h) AS cacheWrite1h, sum(output) AS output, sum(reasoning) AS reasoning, sum(web_searches) AS webSearches FROM model_calls WHERE session_pk = ? GROUP BY inherited`,
  ).all(pk);
  const stored = scalar(archive.sqlite, "sessions.tally", "FROM sessions WHERE pk = ?").get(pk)!;
  const counters = readCounters(stored);
  const pick = ({ inherited: _inherited, calls: _calls, ...usage }: (typeof rows)[0]): Usage => usage;
  const own = rows.find((row) => row.inherited === 0);
  const inherited = rows.find((row) => row.inherited === 1);
  counters.calls = { own: own?.calls ?? 0, inherited: inherited?.calls ?? 0 };
  counters.usage = own === undefined ? { ...NO_USAGE } : pick(own);
  const hasInherited = counters.calls.inherited > 0;
  command(
    archive.sqlite,
    `UPDATE sessions SET tally = @tally, version = version + 1, relation = CASE
         WHEN @inherits AND relation = 'root' THEN 'fork'
         WHEN NOT @inherits AND relation = 'fork' AND parent_native IS NULL THEN 'root' ELSE relation END WHERE pk = @pk`,
  ).run({ tally: JSON.stringify(counters), inherits: hasInherited ? 1 : 0, pk });
}
