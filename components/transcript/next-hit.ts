// Steps through what was found: occurrence by occurrence inside a row, then to the next row that holds one. Pure.
import type { OutlineAnswer } from "#lib/wire/events-schema.ts";

/** A row with hits: a call and its result are one row. */
export type HitRow = {
  /** The first event of the row that was found. */
  readonly seq: number;
  /** Events whose row it is. */
  readonly seqs: readonly number[];
  readonly count: number;
};

type Found = { readonly seqs: readonly number[]; readonly counts: readonly number[] };

/** Rows with hits, in the order of the transcript. */
export function hitRows(found: Found, outline: OutlineAnswer | undefined): HitRow[] {
  const callOf = new Map<number, number>();
  outline?.pair.forEach((result, i) => {
    if (result > 0) callOf.set(result, outline.seq[i] ?? result);
  });
  const rows = new Map<number, { seq: number; seqs: number[]; count: number }>();
  found.seqs.forEach((seq, i) => {
    const key = callOf.get(seq) ?? seq;
    const row = rows.get(key) ?? { seq, seqs: key === seq ? [] : [key], count: 0 };
    row.seqs.push(seq);
    row.count += found.counts[i] ?? 1;
    rows.set(key, row);
  });
  return [...rows].toSorted(([a], [b]) => a - b).map(([, row]) => row);
}

/** The row after (or before) the event that is stood on; round at the ends. */
export function nextRow(rows: readonly HitRow[], event: number | null, by: 1 | -1): HitRow | null {
  const here = rowAt(rows, event);
  if (here >= 0) return rows.at((here + by) % rows.length) ?? null;
  const next =
    event === null
      ? undefined
      : by === 1
        ? rows.find(({ seq }) => seq > event)
        : rows.findLast(({ seq }) => seq < event);
  return next ?? rows.at(by === 1 ? 0 : -1) ?? null;
}

export const rowAt = (rows: readonly HitRow[], event: number | null): number =>
  event === null ? -1 : rows.findIndex(({ seqs }) => seqs.includes(event));

/** Which of all occurrences it is, from 1: those of the rows before it, and its position in its own. */
export function positionAmong(rows: readonly HitRow[], row: number, index: number): number {
  const before = rows.slice(0, row).reduce((sum, { count }) => sum + count, 0);
  // A row may show a word more often than its text has it (in its head and again below): the sum stays the text's.
  return before + Math.min(index + 1, rows[row]?.count ?? 1);
}
