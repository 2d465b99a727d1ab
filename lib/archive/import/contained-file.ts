// A file that was cut out of another one of its session. Its records may get other names there, from what is before them: it is known
// by where each of them stands, and when it was written.
import { columns, query, scalar } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange } from "../base/row-keys.ts";
import { IS_OWN_LOG } from "./progress-sessions.ts";

/** True when the records of a source stand in another one, behind its beginning: a copy of the beginning has the same names. */
export function isContained(archive: Archive, partPk: number, wholePk: number): boolean {
  const part = [...recordsOf(archive, partPk)];
  const first = part.find(({ ts }) => ts !== null);
  if (first === undefined) return false;
  const shifts = new Set<number>();
  for (const { ts, byteStart, byteEnd } of recordsOf(archive, wholePk)) {
    const isFirst = ts === first.ts && byteEnd - byteStart === first.byteEnd - first.byteStart;
    if (isFirst && byteStart > first.byteStart) shifts.add(byteStart - first.byteStart);
  }
  if (shifts.size === 0) return false;
  const whole = new Set([...recordsOf(archive, wholePk)].map((one) => placed(one, 0)));
  return [...shifts].some((shift) => part.every((one) => whole.has(placed(one, shift))));
}

type Placed = { readonly ts: number | null; readonly byteStart: number; readonly byteEnd: number };

const placed = ({ ts, byteStart, byteEnd }: Placed, shift: number): string =>
  `${byteStart + shift} ${byteEnd + shift} ${ts}`;

function* recordsOf(archive: Archive, sourcePk: number): Generator<Placed> {
  const own = scalar(archive.sqlite, "sessions.pk", `FROM sessions WHERE source_pk = ? AND ${IS_OWN_LOG}`).all(
    sourcePk,
  );
  const rows = query(
    archive.sqlite,
    { ...columns("events", "ts"), byteStart: "events.byte_start", byteEnd: "events.byte_end" },
    "SELECT DISTINCT ts, byte_start AS byteStart, byte_end AS byteEnd FROM events WHERE id BETWEEN ? AND ?",
  );
  for (const pk of own) yield* rows.iterate(...rowRange(pk));
}
