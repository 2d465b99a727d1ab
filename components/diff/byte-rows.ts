// Where two byte strings begin to differ, and the rows of a dump there. Pure.
import { ROW_BYTES } from "../shared/hex.ts";

export type ByteRow = {
  readonly offset: number;
  readonly left: Uint8Array;
  readonly right: Uint8Array;
  /** Places in the row, from 0, where the sides differ; a byte that one side lacks counts. */
  readonly differs: readonly number[];
};

/** Rows before the first difference, and after it. */
const BEFORE = 2;
const AFTER = 12;

/** The first place where they differ; null where they are the same as far as they go. */
export function firstDifference(left: Uint8Array, right: Uint8Array): number | null {
  const common = Math.min(left.length, right.length);
  for (let at = 0; at < common; at++) if (left[at] !== right[at]) return at;
  return left.length === right.length ? null : common;
}

export function byteRows(left: Uint8Array, right: Uint8Array, at: number): ByteRow[] {
  const first = Math.max(0, Math.floor(at / ROW_BYTES) - BEFORE);
  const last = Math.ceil(Math.max(left.length, right.length) / ROW_BYTES);
  const rows: ByteRow[] = [];
  for (let row = first; row < Math.min(last, first + BEFORE + AFTER); row++) {
    const offset = row * ROW_BYTES;
    const [a, b] = [left.subarray(offset, offset + ROW_BYTES), right.subarray(offset, offset + ROW_BYTES)];
    const differs = Array.from({ length: ROW_BYTES }, (_, i) => i).filter((i) => a[i] !== b[i]);
    rows.push({ offset, left: a, right: b, differs });
  }
  return rows;
}
