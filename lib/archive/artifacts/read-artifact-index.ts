// Where lines and characters of a stored text begin, from the blob's line index: a position in a blob of 1 GB costs one or
// two readings of 256 KiB. The index is written when a blob is put; blobs of imports get theirs when they are first read.
import { query } from "#db/statement.ts";
import { CHUNK_BYTES, LineIndex } from "#lib/kernel/artifacts/line-index.ts";
import { TextScan } from "#lib/kernel/artifacts/text-scan.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { write } from "../base/write.ts";
import { addLineIndexWrite } from "./reading-rows.ts";

export type StoredText = { readonly archive: Archive; readonly digest: string; readonly index: LineIndex };

/** 16 bytes a chunk: the indexes of 64 GB of blobs take 4 MB. */
const HELD_CHUNKS = 256 * 1024;
const held = perArchive(() => ({ byDigest: new Map<string, LineIndex>(), chunks: 0 }));

/** A stored text with its index. The digest of the bytes is checked on the way. */
export async function storedText(archive: Archive, digest: string, sizeBytes: number): Promise<StoredText> {
  const known = held(archive).byDigest.get(digest);
  const index = known ?? storedIndex(archive, digest, sizeBytes) ?? (await buildIndex(archive, digest));
  holdIndex(archive, digest, index);
  return { archive, digest, index };
}

/** The last one used goes last, and the first ones make room. */
function holdIndex(archive: Archive, digest: string, index: LineIndex): void {
  const indexes = held(archive);
  if (!indexes.byDigest.delete(digest)) indexes.chunks += costOf(index);
  indexes.byDigest.set(digest, index);
  for (const [oldest, one] of indexes.byDigest) {
    if (indexes.chunks <= HELD_CHUNKS || oldest === digest) break;
    indexes.byDigest.delete(oldest);
    indexes.chunks -= costOf(one);
  }
}

/** A short text's index has one entry, and takes a row of the table all the same. */
const costOf = (index: LineIndex): number => index.chunks + 16;

/** The first byte of a line (from 1); null when there is none. */
export async function startOfLine(text: StoredText, line: number): Promise<number | null> {
  if (line === 1) return 0;
  const end = await newlineAt(text, line - 1);
  return end === null || end + 1 >= text.index.sizeBytes ? null : end + 1;
}

/** The byte behind a line, without its line end. */
export const endOfLine = async (text: StoredText, line: number): Promise<number> =>
  (await newlineAt(text, line)) ?? text.index.sizeBytes;

/** Code points that begin before a byte. */
export async function charsBefore(text: StoredText, byte: number): Promise<number> {
  const chunk = text.index.chunkOfByte(byte);
  return chunk.charsBefore + countStarts(await bytesOf(text, chunk.byte, byte));
}

/** The byte at which a code point of the whole text begins; its size when there are not so many. */
export async function byteOfChar(text: StoredText, char: number): Promise<number> {
  const chunk = text.index.chunkOfChar(char);
  if (chunk === null) return 0;
  const bytes = await bytesOf(text, chunk.byte, chunk.byte + CHUNK_BYTES);
  let left = char - chunk.charsBefore;
  for (let at = 0; at < bytes.length; at++) {
    if ((bytes[at]! & 0xc0) !== 0x80 && left-- === 0) return chunk.byte + at;
  }
  return chunk.byte + bytes.length;
}

/** Code points that begin in these bytes. */
export function countStarts(bytes: Uint8Array): number {
  let starts = 0;
  for (let at = 0; at < bytes.length; at++) if ((bytes[at]! & 0xc0) !== 0x80) starts++;
  return starts;
}

export async function bytesOf(text: Omit<StoredText, "index">, start: number, end: number): Promise<Buffer> {
  if (end <= start) return Buffer.alloc(0);
  const pieces: Uint8Array[] = [];
  for await (const piece of text.archive.blobs.read(text.digest, { start, end })) pieces.push(piece);
  return pieces.length === 1 ? asBuffer(pieces[0]!) : Buffer.concat(pieces);
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The byte of line end number n (from 1), or null. */
async function newlineAt(text: StoredText, n: number): Promise<number | null> {
  if (n > text.index.newlines) return null;
  const chunk = text.index.chunkOfLine(n + 1);
  if (chunk === null) return null;
  const bytes = await bytesOf(text, chunk.byte, chunk.byte + CHUNK_BYTES);
  let at = -1;
  for (let left = n - chunk.newlinesBefore; left > 0; left--) {
    at = bytes.indexOf(0x0a, at + 1);
    if (at < 0) return null;
  }
  return chunk.byte + at;
}

function storedIndex(archive: Archive, digest: string, sizeBytes: number): LineIndex | null {
  const row = query(
    archive.sqlite,
    { line_index: "blob_lines.line_index" },
    "SELECT line_index FROM blob_lines WHERE digest = ?",
  ).get(digest);
  if (row === undefined) return null;
  try {
    return LineIndex.decode(row.line_index, sizeBytes);
  } catch {
    // Damaged, or of another version: the blob itself says where its lines are.
    return null;
  }
}

async function buildIndex(archive: Archive, digest: string): Promise<LineIndex> {
  const scan = new TextScan();
  for await (const piece of archive.blobs.read(digest)) scan.add(piece);
  const { index } = scan.end();
  // One chunk is read whole anyway. A reader that may not write keeps the index in memory.
  if (index.chunks > 1 && archive.mode === "write")
    write(archive, addLineIndexWrite, { digest, lineIndex: index.encode() }).catch((error: unknown) =>
      console.error(`The line index of ${digest.slice(0, 16)} could not be saved:`, error),
    );
  return index;
}
