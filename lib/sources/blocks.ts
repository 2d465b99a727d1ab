// Reading a source as blocks of about 1 MB, cut at line ends, with the records inside. A block is kept as
// it is (raw bytes), its records are parsed. Memory stays small whatever the file: a line longer than a
// block is first looked for to its end, then read once, or passed through in blocks when it is over the cap.
import { setImmediate } from "node:timers/promises";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { fail } from "#lib/kernel/errors.ts";
import { textStart } from "#lib/kernel/text-start.ts";
import { giveBuffer, takeBuffer } from "./block-buffers.ts";
import type { Block } from "./line-reader.ts";
import { blockOfLines, bomBytes, oversizedRecord } from "./line-reader.ts";
import type { SourceHandle } from "./source-handle.ts";
import { inflate, isZstd } from "./zstd.ts";
import { zstdBlocks } from "./zstd-blocks.ts";

export type { Block } from "./line-reader.ts";

export type ReadOptions = {
  /** Byte offset of a line start: 0, or the end of the last block of an earlier reading. */
  readonly from: number;
  /** Number of the line that starts there: 1, or `nextLine` of that block. */
  readonly line: number;
  readonly lineCap?: number;
  readonly blockBytes?: number;
  /** A last line without its newline is held back, unless nothing more is expected. */
  readonly final?: boolean;
  readonly signal?: AbortSignal;
};

const LF = 0x0a;
const CR = 0x0d;

/** Bytes of a long line that are looked through between two blocks: some 20 ms. */
const LOOKED_BYTES = 32 * 1024 * 1024;

/** The lines from `from` up to the size that the file had when it was opened. */
export async function* readBlocks(handle: SourceHandle, options: ReadOptions): AsyncGenerator<Block> {
  const { lineCap = LIMITS.lineBytes, blockBytes = LIMITS.rawBlockBytes, final = false, signal } = options;
  if (await isZstd(handle)) {
    yield* zstdBlocks(handle, { from: options.from, line: options.line, lineCap, blockBytes, final, signal });
    return;
  }
  let { from: position, line } = options;
  while (position < handle.size) {
    signal?.throwIfAborted();
    const wanted = Math.min(blockBytes, handle.size - position);
    const buffer = blockBytes === LIMITS.rawBlockBytes ? takeBuffer() : undefined;
    const bytes = (await handle.read(position, wanted, buffer)) as Buffer;
    if (bytes.length === 0) return;
    const cut = bytes.lastIndexOf(LF) + 1;
    if (cut > 0) {
      const block = blockOfLines(cut === bytes.length ? bytes : bytes.subarray(0, cut), position, line, lineCap);
      yield buffer === undefined ? block : { ...block, release: () => giveBuffer(buffer) };
      position = block.byteEnd;
      line = block.nextLine;
      await setImmediate();
      continue;
    }
    const found = findNewline(handle, position + bytes.length, blockBytes, signal);
    let looked = await found.next();
    // Who writes what is read may let others write while a line of a gigabyte is looked through.
    for (; !looked.done; looked = await found.next())
      yield { byteStart: position, byteEnd: position, bytes: bytes.subarray(0, 0), records: [], nextLine: line };
    const newline = looked.value;
    if (newline === null && !final) return;
    const stop = newline ?? handle.size;
    const end = newline === null ? stop : newline + 1;
    if (stop - position > lineCap) {
      yield* longLine(handle, { position, stop, end, line, blockBytes, signal });
      line++;
    } else {
      const whole = end - position === bytes.length ? bytes : ((await handle.read(position, end - position)) as Buffer);
      // Shorter when the file was cut meanwhile: the next comparison finds it changed.
      if (whole.length < end - position) return;
      const block = blockOfLines(whole, position, line, lineCap);
      yield block;
      line = block.nextLine;
    }
    position = end;
  }
}

type DocumentOptions = { readonly maxBytes?: number; readonly signal?: AbortSignal };

/** The whole file as one record, which comes with the last of its blocks. `bytes`: those of the file, where they were read before. */
export async function* readDocument(
  handle: SourceHandle,
  options: DocumentOptions & { readonly blockBytes?: number; readonly bytes?: Uint8Array } = {},
): AsyncGenerator<Block> {
  const { blockBytes = LIMITS.rawBlockBytes, signal } = options;
  const bytes = options.bytes ?? (await wholeDocument(handle, options));
  const record = recordOf(bytes);
  for (let start = 0; start < bytes.length; start += blockBytes) {
    signal?.throwIfAborted();
    const end = Math.min(start + blockBytes, bytes.length);
    const isLast = end === bytes.length;
    const records = isLast && record !== null ? [record] : [];
    yield { byteStart: start, byteEnd: end, bytes: bytes.subarray(start, end), records, nextLine: isLast ? 2 : 1 };
  }
}

export const wholeDocument = (
  handle: SourceHandle,
  { maxBytes = LIMITS.fullOutputBytes, signal }: DocumentOptions,
): Promise<Uint8Array> => wholeFile(handle, maxBytes, signal);

/** The record that a document is; null for one without a byte. */
export function recordOf(bytes: Uint8Array): SourceRecord | null {
  const bom = bomBytes(bytes);
  if (bytes.length === bom) return null;
  return { bytes: bytes.subarray(bom), byteStart: bom, byteEnd: bytes.length, line: 1 };
}

/** The first bytes of a source, decompressed where it is compressed: what a format is recognised by. */
export async function readHead(handle: SourceHandle, length: number = LIMITS.oversizedHeadBytes): Promise<Uint8Array> {
  if (!(await isZstd(handle))) return handle.read(0, Math.min(length, handle.size));
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of inflate(handle, length)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= length) break;
  }
  return Buffer.concat(pieces).subarray(0, length);
}

/** The whole first line, where it is longer than the head that was read and no longer than `most` bytes; else that head. */
export async function readFirstLine(
  handle: SourceHandle,
  head: Uint8Array,
  most: number = LIMITS.firstRecordBytes,
): Promise<Uint8Array> {
  const start = textStart(head);
  if (head.length < LIMITS.oversizedHeadBytes || head.includes(LF, start)) return head;
  if (await isZstd(handle)) {
    const longer = await readHead(handle, most);
    const end = longer.indexOf(LF, start);
    return end < 0 ? head : longer.subarray(0, end + 1);
  }
  // Looked for piece by piece: a document of one line is not read for its first.
  const scratch = Buffer.allocUnsafeSlow(LIMITS.rawBlockBytes);
  const stop = Math.min(handle.size, most);
  for (let position = head.length; position < stop;) {
    const bytes = await handle.read(position, Math.min(scratch.length, stop - position), scratch);
    if (bytes.length === 0) break;
    const end = bytes.indexOf(LF);
    if (end >= 0) return handle.read(0, position + end + 1);
    position += bytes.length;
  }
  return head;
}

async function wholeFile(handle: SourceHandle, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  if (!(await isZstd(handle))) {
    if (handle.size > maxBytes)
      fail("too_large", `${handle.path} has ${handle.size} bytes, over the limit of ${maxBytes}. Split it first.`);
    return handle.read(0, handle.size);
  }
  const pieces: Buffer[] = [];
  const inflated = inflate(handle, LIMITS.rawBlockBytes, signal, maxBytes);
  for (let next = await inflated.next(); ; next = await inflated.next()) {
    if (!next.done) {
      pieces.push(next.value);
      continue;
    }
    if (next.value.end === "stopped") fail("too_large", `${handle.path} cannot be read. ${next.value.reason}`);
    if (next.value.end !== "whole") fail("invalid", `${handle.path} cannot be read: ${next.value.reason}.`);
    return Buffer.concat(pieces);
  }
}

/** Yields now and then: there is more to look through. */
async function* findNewline(
  handle: SourceHandle,
  from: number,
  blockBytes: number,
  signal?: AbortSignal,
): AsyncGenerator<void, number | null> {
  const scratch = Buffer.allocUnsafeSlow(blockBytes);
  for (let position = from, yieldAt = from + LOOKED_BYTES; position < handle.size;) {
    signal?.throwIfAborted();
    if (position >= yieldAt) {
      yieldAt = position + LOOKED_BYTES;
      yield;
    }
    const bytes = await handle.read(position, Math.min(blockBytes, handle.size - position), scratch);
    if (bytes.length === 0) return null;
    const found = bytes.indexOf(LF);
    if (found !== -1) return position + found;
    position += bytes.length;
  }
  return null;
}

type LongLine = {
  readonly position: number;
  /** Where its content ends, and where the line ends. */
  readonly stop: number;
  readonly end: number;
  readonly line: number;
  readonly blockBytes: number;
  readonly signal: AbortSignal | undefined;
};

async function* longLine(handle: SourceHandle, long: LongLine): AsyncGenerator<Block> {
  const { position, stop, end, line, blockBytes } = long;
  const head = await handle.read(position, Math.min(LIMITS.oversizedHeadBytes + 3, stop - position));
  const bom = position === 0 ? bomBytes(head) : 0;
  const last = await handle.read(stop - 1, 1);
  const record = oversizedRecord(head.subarray(bom), position + bom, last[0] === CR ? stop - 1 : stop, line);
  for (let start = position; start < end;) {
    long.signal?.throwIfAborted();
    // Blocks of 1 MB that nobody uses again pile up outside of the heap faster than they are collected.
    const buffer = blockBytes === LIMITS.rawBlockBytes ? takeBuffer() : undefined;
    const bytes = await handle.read(start, Math.min(blockBytes, end - start), buffer);
    if (bytes.length === 0) return;
    const byteEnd = start + bytes.length;
    const isLast = byteEnd === end;
    yield {
      byteStart: start,
      byteEnd,
      bytes,
      records: isLast ? [record] : [],
      nextLine: isLast && end > stop ? line + 1 : line,
      ...(buffer !== undefined && { release: () => giveBuffer(buffer) }),
    };
    await setImmediate();
    start = byteEnd;
  }
}
