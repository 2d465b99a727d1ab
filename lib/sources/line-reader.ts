// Cutting bytes into lines. On 0x0A alone: a lone CR, U+2028 and NUL are content of a line.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SourceRecord } from "#lib/kernel/draft.ts";

/** A piece of a source, as it is kept. Blocks follow each other without a gap, newlines included. */
export type Block = {
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly bytes: Uint8Array;
  /** The records that end in this block. Their bytes are views of `bytes`, or of the line's own buffer. */
  readonly records: SourceRecord[];
  /** Number of the line that follows this block: where the next reading starts to count. */
  readonly nextLine: number;
  /** Why reading ended before the end of the source (damaged compression). Such a block has no bytes. */
  readonly problem?: string;
  /** Reading was stopped here by a limit, for the reason that `problem` gives. */
  readonly isStopped?: boolean;
  /** Says that nobody looks at its bytes, or its records', any more: another block may stand there then. */
  readonly release?: () => void;
};

const LF = 0x0a;
const CR = 0x0d;
/** Lines of a block, blank ones counted: a megabyte of them takes 100 ms. */
const BLOCK_LINES = 4 * LIMITS.blockRecords;

/**
 * The lines of `bytes`, which begins at a line start; what follows its last newline counts as a line. Of many short ones
 * the first: the block ends earlier then.
 */
export function blockOfLines(bytes: Buffer, byteStart: number, line: number, lineCap: number): Block {
  const records: SourceRecord[] = [];
  const length = bytes.length;
  let start = 0;
  for (let lines = 0; start < length && records.length < LIMITS.blockRecords && lines < BLOCK_LINES; lines++) {
    const newline = bytes.indexOf(LF, start);
    const stop = newline === -1 ? length : newline;
    const from = byteStart + start === 0 ? bomBytes(bytes) : start;
    const end = stop > from && bytes[stop - 1] === CR ? stop - 1 : stop;
    if (stop - start > lineCap)
      records.push(oversizedRecord(bytes.subarray(from, end), byteStart + from, byteStart + end, line));
    else if (end > from && !isBlank(bytes, from, end))
      records.push({ bytes: bytes.subarray(from, end), byteStart: byteStart + from, byteEnd: byteStart + end, line });
    // A line without its newline is not ended: what is written next goes on in it, or ends it.
    if (newline !== -1) line++;
    start = stop + 1;
  }
  const end = Math.min(start, length);
  return {
    byteStart,
    byteEnd: byteStart + end,
    bytes: end === length ? bytes : bytes.subarray(0, end),
    records,
    nextLine: line,
  };
}

/** The record of a line that is too long to be parsed: its range, and the head of its bytes. */
export function oversizedRecord(head: Uint8Array, byteStart: number, byteEnd: number, line: number): SourceRecord {
  const bytes = head.subarray(0, Math.min(LIMITS.oversizedHeadBytes, byteEnd - byteStart));
  return { bytes, byteStart, byteEnd, line, oversized: true };
}

/** How many bytes of a UTF-8 byte order mark stand at the start: 3 or 0. */
export function bomBytes(bytes: Uint8Array): 0 | 3 {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

function isBlank(bytes: Uint8Array, from: number, end: number): boolean {
  for (let i = from; i < end; i++) {
    const byte = bytes[i];
    if (byte !== 0x20 && byte !== 0x09 && byte !== CR) return false;
  }
  return true;
}
