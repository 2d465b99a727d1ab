// Shared history. A fork or resume copies records into a new file, and a sub-agent may repeat its parent's answers under new
// record ids: each record and model call belongs to exactly one session that holds it: the one that began first, of those with
// one beginning the one with the fewest records (ties: the smaller name; a named parent comes before its children); in the
// others it is inherited. A tail that was copied behind a summary began when the tail did, after its original. A file may be cut
// within an answer, whose usage grows to its end: of a call's copies the fullest comes first.
import { columns, command, query, scalar } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange } from "../base/row-keys.ts";
import { captured } from "#lib/formats/captured.ts";
import { agentOfProgress, NO_USAGE, type Usage } from "#lib/kernel/draft.ts";
import { setInherited } from "./event-checksum.ts";
import { IS_TOLD, RECORD_HOLDERS, sharedFrom, TELLS, toldFrom, type Position, type Shared } from "./shared-records.ts";
import { recountLost } from "./lost-gaps.ts";
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
  const partners = orderOf(archive, [pk]);
  const wasKnown = new Set(known);
  const turned = partners
    .filter(
      ({ pk: other, rank }) => wasKnown.has(other) && isBefore(rank, self) !== isBefore(rank, { ...self, ...before }),
    )
    .map((one) => one.pk);
  // Where it only went on, its new events alone are looked at.
  disown(archive, pk, isJoined || turned.length > 0 ? START : from, partners);
  // What it has as its own was that of the first behind it. Others behind it had inherited that, and do: of a session that is
  // copied a hundred times few change.
  const changed = new Set([
    ...turned,
    ...(isJoined ? recordHeirs(archive, [pk], partners, from.seq) : []),
    ...callHeirs(archive, [pk], partners, from),
  ]);
  for (const other of changed) disown(archive, other);
  return [...changed];
}

/** Sessions that would have something of these as their own without them: the first behind them that hold it. */
export function heirsOf(archive: Archive, pks: readonly number[]): number[] {
  const partners = orderOf(archive, pks);
  return [...new Set([...recordHeirs(archive, pks, partners), ...callHeirs(archive, pks, partners)])];
}

type Partner = { readonly pk: number; readonly rank: Rank };

/** Sessions that hold records of these, the first first. */
function orderOf(archive: Archive, pks: readonly number[]): Partner[] {
  const partners = new Set(pks.flatMap((pk) => partnersOf(archive, pk)));
  for (const pk of pks) partners.delete(pk);
  return [...partners]
    .map((pk) => ({ pk, rank: rankOf(archive, pk) }))
    .toSorted((a, b) => (isBefore(a.rank, b.rank) ? -1 : 1));
}

function recordHeirs(archive: Archive, pks: readonly number[], order: readonly Partner[], seq = 0): Set<number> {
  const heirs = new Set<number>();
  if (order.length === 0) return heirs;
  const positions = new Map(order.map(({ pk }, position) => [pk, position]));
  const holders = scalar(
    archive.sqlite,
    "text",
    `SELECT ${RECORD_HOLDERS}
       FROM (SELECT DISTINCT record_key FROM events WHERE id BETWEEN ? AND ? AND keyed = 1 AND inherited = 0) e`,
  );
  for (const pk of pks) {
    const [first, last] = rowRange(pk);
    for (const list of holders.iterate(first + seq, last)) {
      const found = (JSON.parse(list) as number[]).flatMap((one) => positions.get(one) ?? []);
      if (found.length > 0) heirs.add(order[Math.min(...found)]!.pk);
    }
  }
  return heirs;
}

/** Of the calls from one on, and of those before it that grew since. */
function callHeirs(archive: Archive, pks: readonly number[], order: readonly Partner[], from = START): Set<number> {
  const heirs = new Set<number>();
  if (order.length === 0) return heirs;
  const positions = new Map(order.map(({ pk }, position) => [pk, position]));
  const copies = query(
    archive.sqlite,
    { pk: "model_calls.session_pk", call: "model_calls.call", fullness: "integer" },
    `SELECT o.session_pk AS pk, m.call, rank() OVER (PARTITION BY m.call ORDER BY ${fullnessOf("o")}) AS fullness
       FROM model_calls m CROSS JOIN model_calls o ON o.key = m.key AND o.session_pk IN (SELECT value FROM json_each(@list))
       WHERE m.session_pk = @pk AND m.inherited = 0 AND (m.call >= @call OR m.checksum IS NULL) AND m.key NOT LIKE 'n:%'`,
  );
  const list = JSON.stringify(order.map(({ pk }) => pk));
  for (const pk of pks) {
    for (const told of toldFrom(archive, pk, from)) if (positions.has(told)) heirs.add(told);
    const firsts = new Map<number, { readonly position: number; readonly fullness: number }>();
    for (const copy of copies.iterate({ pk, call: from.call, list })) {
      const found = { position: positions.get(copy.pk)!, fullness: copy.fullness };
      const first = firsts.get(copy.call);
      if (first === undefined || isCopyBefore(found, first, order)) firsts.set(copy.call, found);
    }
    for (const { position } of firsts.values()) heirs.add(order[position]!.pk);
  }
  return heirs;
}

/** How much a copy of a call says of it, as columns to order by: one that a file was cut in says less. */
const fullnessOf = (row: string): string =>
  `${row}.has_usage, 1 - ${row}.output_lower_bound, ${row}.output, ${row}.input_uncached + ${row}.cache_read + ${row}.cache_write`;

type Copy = { readonly position: number; readonly fullness: number };

function isCopyBefore(a: Copy, b: Copy, order: readonly Partner[]): boolean {
  const isFuller = isPeer(order[a.position]!.rank, order[b.position]!.rank) && a.fullness !== b.fullness;
  return isFuller ? a.fullness > b.fullness : a.position < b.position;
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

const START: Position = { seq: 0, call: 0 };

/** Works out anew what of a session is its own, from a position on; of the calls before it, those that grew since. */
export function disown(archive: Archive, pk: number, since = START, partners = orderOf(archive, [pk])): void {
  const { sqlite } = archive;
  const self = rankOf(archive, pk);
  const origins = partners.filter(({ rank }) => isBefore(rank, self));
  const listOf = (some: readonly Partner[]): string => JSON.stringify(some.map((one) => one.pk));
  const [from, to] = rowRange(pk);
  const list = listOf(origins);
  // Nearly always it shares with nobody before it: no record is looked up for that.
  const isAlone = origins.length === 0;
  const isCopied = isAlone
    ? "0"
    : `EXISTS (SELECT 1 FROM json_each(@list) l CROSS JOIN events o WHERE o.record_key = events.record_key AND o.keyed = 1
         AND o.id BETWEEN l.value * 4294967296 AND l.value * 4294967296 + 4294967295)`;
  command(
    sqlite,
    `UPDATE events SET ${setInherited(isCopied)} WHERE id BETWEEN @from AND @to AND keyed = 1 ${isAlone ? "AND inherited = 1" : ""}`,
  ).run({ from: from + since.seq, to, list });
  const peers = partners.filter(({ rank }) => isPeer(rank, self));
  const isIn = (name: string): string => `o.session_pk IN (SELECT value FROM json_each(@${name}))`;
  const isShared = `(EXISTS (SELECT 1 FROM model_calls o WHERE o.key = m.key AND (${isIn("above")}
    OR ${isIn("before")} AND (${fullnessOf("o")}) >= (${fullnessOf("m")})
    OR ${isIn("behind")} AND (${fullnessOf("o")}) > (${fullnessOf("m")})))
    OR ${IS_TOLD} AND EXISTS (SELECT 1 FROM json_each(@tellers) l CROSS JOIN events o ON ${TELLS}
      AND o.id BETWEEN l.value * 4294967296 AND l.value * 4294967296 + 4294967295))`;
  // Only rows that change are written: a growing fork has thousands that do not. Nor are all looked at: of a session of 3,000 calls that
  // was copied 40 times it took 60 ms for each line that it got.
  command(
    sqlite,
    `UPDATE model_calls AS m SET inherited = ${isShared}, checksum = NULL
       WHERE session_pk = @pk AND (call >= @call OR checksum IS NULL) AND key NOT LIKE 'n:%' AND inherited <> ${isShared}`,
  ).run({
    pk,
    call: since.call,
    tellers: listOf(partners.filter(({ rank }) => isPeer(rank, self) || isBefore(rank, self))),
    above: listOf(origins.filter(({ rank }) => !isPeer(rank, self))),
    before: listOf(peers.filter(({ rank }) => isBefore(rank, self))),
    behind: listOf(peers.filter(({ rank }) => !isBefore(rank, self))),
  });
  recountUsage(archive, pk, isAlone);
}

/** True when what both hold is the other's. */
export const isOrigin = (archive: Archive, otherPk: number, pk: number): boolean =>
  isBefore(rankOf(archive, otherPk), rankOf(archive, pk));

/** `source`: 0 for files as they are now; larger for what holds nothing as its own that those hold. */
type Rank = Extent & { readonly source: number; readonly depth: number; readonly name: string };

/** Files of one standing: of a call that both hold, the fuller copy counts. */
const isPeer = (a: Rank, b: Rank): boolean => a.source === b.source;

/** One order of all sessions: a record is never inherited by all that hold it. */
function isBefore(other: Rank, self: Rank): boolean {
  if (other.source !== self.source) return other.source < self.source;
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
  if (earlier !== null) return { source: Number.MAX_SAFE_INTEGER - earlier, depth: 0, name, ...extent };
  const parentOf = scalar(archive.sqlite, "sessions.parent_native", "FROM sessions WHERE native_id = ?");
  let depth = 0;
  for (let above: string | null = parent; above != null && depth < LEVELS; depth++) above = parentOf.get(above) ?? null;
  // What a parent tells in passing of its sub-agent, and what was captured on the way, is the agent's own, wherever that stands.
  const isTold = agentOfProgress(lane) !== null || format === captured.id;
  return { source: isTold ? 1 : 0, depth, name, ...extent };
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

/** Own and whole usage from the rows: after lineage moved, sums are taken anew. `isFirst`: nobody before it holds what it holds. */
function recountUsage(archive: Archive, pk: number, isFirst: boolean): void {
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
  recountLost(archive, pk, counters);
  const hasInherited = !isFirst && counters.calls.inherited > 0;
  command(
    archive.sqlite,
    `UPDATE sessions SET tally = @tally, version = version + 1, relation = CASE
         WHEN @inherits AND relation = 'root' THEN 'fork'
         WHEN NOT @inherits AND relation = 'fork' AND parent_native IS NULL THEN 'root' ELSE relation END WHERE pk = @pk`,
  ).run({ tally: JSON.stringify(counters), inherits: hasInherited ? 1 : 0, pk });
}
