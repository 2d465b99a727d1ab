// A file that was cut out of another one of its session. Its records may get other names there, from what is before them: it is known
// by where each of them stands, and when it was written.
import { columns, query, scalar, type Columns, type RowOf } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange } from "../base/row-keys.ts";
import { IS_OWN_LOG } from "./progress-sessions.ts";

/** True when the records of a source stand in another one, behind its beginning: a copy of the beginning has the same names. */
export function isContained(archive: Archive, partPk: number, wholePk: number): boolean {
  const shifts = shiftsOf(archive, partPk, wholePk);
  if (shifts.length === 0) return false;
  const part = [...recordsOf(archive, partPk)];
  const whole = new Set([...recordsOf(archive, wholePk)].map((one) => placed(one, 0)));
  return shifts.some((shift) => part.every((one) => whole.has(placed(one, shift))));
}

/**
 * How far behind its own place the first record of a part that has a time may stand in the whole. It is asked for alone: two files that
 * went apart are asked with each line that one of them gets, and their records are then all that they have.
 */
function shiftsOf(archive: Archive, partPk: number, wholePk: number): number[] {
  const of = query(
    archive.sqlite,
    PLACED,
    "SELECT ts, byte_start AS byteStart, byte_end AS byteEnd FROM events WHERE id BETWEEN ? AND ? AND ts IS NOT NULL ORDER BY id LIMIT 1",
  );
  const first = ownLogsOf(archive, partPk).flatMap((pk) => of.get(...rowRange(pk)) ?? [])[0];
  if (first === undefined) return [];
  const { ts, byteStart, byteEnd } = first;
  const alike = scalar(
    archive.sqlite,
    "events.byte_start",
    "SELECT DISTINCT byte_start FROM events WHERE id BETWEEN ? AND ? AND ts = ? AND byte_end - byte_start = ? AND byte_start > ?",
  );
  return ownLogsOf(archive, wholePk).flatMap((pk) =>
    alike.all(...rowRange(pk), ts, byteEnd - byteStart, byteStart).map((at) => at - byteStart),
  );
}

const PLACED = {
  ...columns("events", "ts"),
  byteStart: "events.byte_start",
  byteEnd: "events.byte_end",
} as const satisfies Columns;
type Placed = RowOf<typeof PLACED>;

const placed = ({ ts, byteStart, byteEnd }: Placed, shift: number): string =>
  `${byteStart + shift} ${byteEnd + shift} ${ts}`;

function* recordsOf(archive: Archive, sourcePk: number): Generator<Placed> {
  const rows = query(
    archive.sqlite,
    PLACED,
    "SELECT DISTINCT ts, byte_start AS byteStart, byte_end AS byteEnd FROM events WHERE id BETWEEN ? AND ?",
  );
  for (const pk of ownLogsOf(archive, sourcePk)) yield* rows.iterate(...rowRange(pk));
}

const ownLogsOf = (archive: Archive, sourcePk: number): number[] =>
  scalar(archive.sqlite, "sessions.pk", `FROM sessions WHERE source_pk = ? AND ${IS_OWN_LOG}`).all(sourcePk);
