// Rewinds of an agent: from which event on each took the conversation back. What stands before the conversation stays.
import { departuresOf, seqsOf } from "#lib/kernel/context/branches.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import type { CompactionPosition } from "#lib/kernel/load/residency.ts";
import { scalar, select } from "#db/statement.ts";
import type { Archive } from "./archive-type.ts";
import { framePartsOf, type FrameParts } from "./frame-parts.ts";
import { recordKey, rowRange, seqOfRow } from "./row-keys.ts";

export type RewindRow = CompactionPosition & {
  readonly kind: "rewind";
  /** The last event that stays; 0: the conversation began anew. */
  readonly after: number;
};

const NO_BYTES = new Uint8Array(0);

/**
 * What left at each rewind, in the order of the log. What a later rewind brought back stands apart, under the same seq, with that
 * rewind as what undid it. One whose record is not in this log took nothing out of it.
 */
export function departuresIn(archive: Archive, pk: number, frameParts?: FrameParts): RewindRow[] {
  const rows = select(
    archive.sqlite,
    "events",
    ["id", "body"],
    "WHERE id BETWEEN ? AND ? AND type = 'rewind' ORDER BY id",
  ).all(...rowRange(pk));
  if (rows.length === 0) return [];
  const frame = new Set((frameParts ?? framePartsOf(archive, pk)).parts.map(({ seq }) => seq));
  const lastOf = scalar(
    archive.sqlite,
    "integer?",
    "SELECT max(id) FROM events WHERE record_key = ? AND keyed = 1 AND id BETWEEN ? AND ?",
  );
  const rewinds = rows.map(({ id, body }) => {
    const seq = seqOfRow(id);
    const { after: key } = JSON.parse(body) as Extract<EventBody, { type: "rewind" }>;
    const last = key === null ? null : (lastOf.get(recordKey(key, NO_BYTES), ...rowRange(pk, 0, seq - 1)) ?? null);
    return { seq, after: key === null ? 0 : last === null ? seq - 1 : seqOfRow(last) };
  });
  return departuresOf(rewinds).map(({ seq, common, spans, undoneBy }) => ({
    seq,
    kind: "rewind",
    after: common,
    seqs: new Set(seqsOf(spans).filter((one) => !frame.has(one))),
    ...(undoneBy !== undefined && { undoneBy }),
  }));
}

/** Each rewind once, with all that left at it. */
export function rewindsOf(archive: Archive, pk: number): RewindRow[] {
  const rewinds = new Map<number, RewindRow>();
  for (const { seq, kind, after, seqs } of departuresIn(archive, pk)) {
    const before = rewinds.get(seq)?.seqs;
    rewinds.set(seq, { seq, kind, after, seqs: before === undefined ? seqs : before.union(seqs) });
  }
  return [...rewinds.values()];
}
