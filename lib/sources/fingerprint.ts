// Telling grown from changed. An append-only file keeps its first 4 KB and the 4 KB before the position up
// to which it was read; a file that was rewritten, rotated or copied over does not. Size and time alone
// are not enough: copytruncate keeps the inode, and a file can be cut and grow past the old offset.
import { createHash } from "node:crypto";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SourceHandle } from "./source-handle.ts";
import { isZstd } from "./zstd.ts";

export type Fingerprint = { head: string; headBytes: number; tail: string };

/** What an earlier reading left: the file's identity, how far it was read, and what stood there. */
export type Seen = {
  readonly dev: string;
  readonly ino: string;
  readonly size: number;
  /** End of the last block that was read. */
  readonly offset: number;
  readonly head: string;
  readonly headBytes: number;
  readonly tail: string;
};

// As large as a line of a transcript usually is; two reads of a page's size cost nothing.
const MARK_BYTES = 4096;

const NOTHING = new Uint8Array();

/**
 * Digests of the file's first bytes and of those before `offset` (of a compressed file: before its end). `end`: the last bytes that a
 * reading took. Where others are in the file by now, it was written anew meanwhile: its tail is that of no file, so that the next
 * look finds it changed.
 */
export async function fingerprint(handle: SourceHandle, offset: number, end = NOTHING): Promise<Fingerprint> {
  const isCompressed = await isZstd(handle);
  const upTo = isCompressed ? handle.size : offset;
  const headBytes = Math.min(MARK_BYTES, upTo);
  const tailStart = Math.max(0, upTo - MARK_BYTES);
  const head = await handle.read(0, headBytes);
  const tail = await handle.read(tailStart, upTo - tailStart);
  const isAsRead = isCompressed || Buffer.compare(tail.subarray(Math.max(0, tail.length - end.length)), end) === 0;
  return { head: sha256(head), headBytes, tail: isAsRead ? sha256(tail) : "" };
}

/** A copy of the end of what was read: as many bytes as are compared. */
export const lastBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes.subarray(-MARK_BYTES));

/**
 * What became of a file since it was last read: `unchanged` when no whole line waits to be read, be it that a tail
 * without its newline was held back. A compressed file is never `grown`: it is read whole.
 */
export async function compare(handle: SourceHandle, seen: Seen): Promise<"unchanged" | "grown" | "changed"> {
  if (handle.dev !== seen.dev || handle.ino !== seen.ino) return "changed";
  const isSameSize = handle.size === seen.size;
  const isCompressed = await isZstd(handle);
  if (isCompressed ? !isSameSize : handle.size < seen.offset) return "changed";
  const now = await fingerprint(handle, seen.offset);
  if (now.head !== seen.head || now.headBytes !== seen.headBytes || now.tail !== seen.tail) return "changed";
  if (!isSameSize) return "grown";
  // An import that was stopped leaves whole lines, and a tail can be written over in place.
  return isCompressed || !(await hasNewline(handle, seen.offset)) ? "unchanged" : "grown";
}

async function hasNewline(handle: SourceHandle, from: number): Promise<boolean> {
  for (let position = from; position < handle.size;) {
    const bytes = await handle.read(position, Math.min(LIMITS.rawBlockBytes, handle.size - position));
    if (bytes.length === 0) return false;
    if (bytes.includes(0x0a)) return true;
    position += bytes.length;
  }
  return false;
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
