// What a session shares with others, found piece by piece: the lookups of 138,000 records take most of a second, for which a
// put would wait.
import { columns, query, scalar } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange } from "../base/row-keys.ts";
import { plainName } from "./artifact-writer.ts";

/** An event and a model call of a session. */
export type Position = { readonly seq: number; readonly call: number };

/** Shared records by the other session, and the sessions that hold calls of this one. */
export type Shared = { readonly records: Map<number, number>; readonly calls: Set<number> };

/** What a session shares from a position on, in one step. */
export function sharedFrom(archive: Archive, pk: number, from: Position): Shared {
  const shared: Shared = { records: new Map(), calls: new Set() };
  addRecords(archive, pk, from.seq, { from: from.seq, to: LAST }, shared);
  addTold(archive, pk, from, shared);
  addCalls(archive, pk, { from: from.call, to: LAST }, shared);
  return shared;
}

/** The same in many steps; `between` is awaited after each. Null when other sessions changed meanwhile. */
export async function sharedInPieces(
  archive: Archive,
  pk: number,
  { from, end }: { readonly from: Position; readonly end: Position },
  between: () => Promise<void>,
): Promise<Shared | null> {
  const before = stateOfOthers(archive, pk);
  const shared: Shared = { records: new Map(), calls: new Set() };
  for (let seq = from.seq; seq < end.seq; seq += LIMITS.settledEvents) {
    addRecords(archive, pk, from.seq, { from: seq, to: seq + LIMITS.settledEvents - 1 }, shared);
    await between();
  }
  for (let call = from.call; call < end.call; call += LIMITS.settledCalls) {
    addCalls(archive, pk, { from: call, to: call + LIMITS.settledCalls - 1 }, shared);
    await between();
  }
  addTold(archive, pk, from, shared);
  return stateOfOthers(archive, pk) === before ? shared : null;
}

const LAST = 4_294_967_295;

type Range = { readonly from: number; readonly to: number };

/** Sessions that hold a record `e` or a call `m`, as a list: one may be there more than once. */
export const RECORD_HOLDERS =
  "(SELECT json_group_array(o.id / 4294967296) FROM events o WHERE o.record_key = e.record_key AND o.keyed = 1)";
const CALL_HOLDERS = "(SELECT json_group_array(o.session_pk) FROM model_calls o WHERE o.key = m.key)";

/**
 * Adds the shared records whose first event since `start` is in the range. Each record brings a list of its holders: grouped by them
 * it takes four times as long where a session was copied 400 times.
 */
function addRecords(archive: Archive, pk: number, start: number, range: Range, { records }: Shared): void {
  const holders = scalar(
    archive.sqlite,
    "text",
    `SELECT ${RECORD_HOLDERS}
       FROM (SELECT DISTINCT record_key FROM events AS own WHERE id BETWEEN @from AND @to AND keyed = 1
         AND (@from = @start OR NOT EXISTS (SELECT 1 FROM events p WHERE p.record_key = own.record_key AND p.keyed = 1
           AND p.id >= @start AND p.id < @from))) e`,
  );
  const [from, to] = rowRange(pk, range.from, range.to);
  for (const list of holders.iterate({ from, to, start: rowRange(pk, start)[0] }))
    for (const other of new Set(JSON.parse(list) as number[])) records.set(other, (records.get(other) ?? 0) + 1);
  records.delete(pk);
}

/** Adds the sessions that hold calls of the range, where its key names a call wherever it stands, or they are of one family. */
function addCalls(archive: Archive, pk: number, { from, to }: Range, { calls }: Shared): void {
  const { sqlite } = archive;
  const sessionOf = query(sqlite, columns("sessions", "native_id", "format"), "FROM sessions WHERE pk = ?");
  const self = sessionOf.get(pk)!;
  const names = callNamesOf(self.format);
  const rows = query(
    sqlite,
    { isNamed: "integer", holders: "text" },
    `SELECT m.key GLOB ? AS isNamed, ${CALL_HOLDERS} AS holders
       FROM model_calls m WHERE m.session_pk = ? AND m.call BETWEEN ? AND ? AND m.key NOT LIKE 'n:%'`,
  ).all(names ?? "", pk, from, to);
  const named = new Map<number, boolean>();
  for (const { isNamed, holders } of rows)
    for (const other of JSON.parse(holders) as number[]) named.set(other, isNamed === 1 || named.get(other) === true);
  named.delete(pk);
  if (named.size === 0) return;
  for (const [pkOfOther, isNamed] of named) {
    const other = sessionOf.get(pkOfOther)!;
    const isSame = isNamed && names === callNamesOf(other.format);
    if (isSame || familyOf(other.native_id) === familyOf(self.native_id)) calls.add(pkOfOther);
  }
}

/**
 * The event of a row `m` of calls whose key is a record's, where that record tells the call: the one that it is of there has the same
 * counts, or it is another one; and a name of its own, or two ends of a file would each leave it to the other.
 */
export const TELLS = `o.record_key = unhex(substr(m.key, 8)) AND o.keyed = 1
  AND EXISTS (SELECT 1 FROM model_calls c WHERE c.session_pk = o.id / 4294967296 AND c.call = o.call AND c.key <> m.key AND c.output = m.output
    AND c.input_uncached + c.cache_read + c.cache_write = m.input_uncached + m.cache_read + m.cache_write)`;
export const IS_TOLD = "m.key GLOB 'record:*'";

/** Sessions of whose calls the records of this one tell that came, or got their call, from a position on. By their keys: such calls are few. */
export function toldFrom(archive: Archive, pk: number, { seq, call }: Position): number[] {
  const [first, last] = rowRange(pk);
  return scalar(
    archive.sqlite,
    "model_calls.session_pk",
    `SELECT DISTINCT m.session_pk FROM model_calls m CROSS JOIN events o ON ${TELLS} AND o.id BETWEEN @first AND @last
       AND (o.id >= @from OR o.call >= @call) WHERE ${IS_TOLD}`,
  ).all({ first, last, from: first + seq, call });
}

/** Adds the sessions whose records tell calls of this one, and those of whose calls its own records tell. */
function addTold(archive: Archive, pk: number, from: Position, { calls }: Shared): void {
  const tellers = scalar(
    archive.sqlite,
    "integer",
    `SELECT DISTINCT o.id / 4294967296 FROM model_calls m CROSS JOIN events o ON ${TELLS} WHERE m.session_pk = ? AND m.call >= ? AND ${IS_TOLD}`,
  ).all(pk, from.call);
  for (const other of [...tellers, ...toldFrom(archive, pk, from)]) if (other !== pk) calls.add(other);
}

const callNamesOf = (format: string): string | undefined => FORMATS.find(({ id }) => id === format)?.callNames;

/** What the names of a session and of its sub-agents begin with. */
const familyOf = (nativeId: string): string => plainName(nativeId).split("/")[0]!;

/** Differs once another session of a file came, went or changed. */
const stateOfOthers = (archive: Archive, pk: number): string =>
  scalar(
    archive.sqlite,
    "text",
    "SELECT count(*) || ' ' || coalesce(max(pk), 0) || ' ' || coalesce(sum(next_seq), 0) || ' ' || coalesce(sum(version), 0) FROM sessions WHERE source_pk IS NOT NULL AND pk <> ?",
  ).get(pk)!;
