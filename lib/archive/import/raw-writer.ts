// The source's own bytes, in zstd blocks of about 1 MB cut at line ends: a later parser, and "raw", work when the agent has
// deleted its file. Level 3 takes 3 ms a block; blocks compress 4 times, single lines 2.7 times.
import { command, scalar, select } from "#db/statement.ts";
import { constants, zstdCompress, zstdDecompressSync } from "node:zlib";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";

// One piece of output holds nearly every block: by default Node asks for every 16 KB of it anew.
const OPTIONS = {
  chunkSize: LIMITS.rawBlockBytes / 2,
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
};

/** Blocks are joined up to this size: the last one is unpacked and packed again for each appended line, which takes 2 ms at 256 KB. */
export const JOINED_BYTES = LIMITS.rawBlockBytes / 4;

export type Bytes = { readonly byteStart: number; readonly byteEnd: number; readonly bytes: Uint8Array };

/**
 * Begins to compress a block, off this thread, and returns what writes it. A small one is joined to the block before, so
 * that a growing file does not end as many small ones.
 */
export function packRaw(archive: Archive, sourcePk: number, block: Bytes): () => Promise<void> {
  const { sqlite } = archive;
  let { byteStart, bytes } = block;
  // Some blocks only bring a record or say a reason; the next one begins at the same byte.
  if (bytes.length === 0) return async () => undefined;
  if (byteStart > 0 && bytes.length < JOINED_BYTES) {
    const last = select(
      sqlite,
      "raw_blocks",
      ["byte_start", "byte_end", "zstd"],
      "WHERE source_pk = ? ORDER BY byte_start DESC LIMIT 1",
    ).get(sourcePk);
    if (last?.byte_end === byteStart && byteStart - last.byte_start + bytes.length <= JOINED_BYTES) {
      bytes = Buffer.concat([zstdDecompressSync(last.zstd), bytes]);
      byteStart = last.byte_start;
    }
  }
  const packed = compress(bytes);
  const isJoined = byteStart < block.byteStart;
  return async () => {
    const zstd = await packed;
    if (isJoined) command(sqlite, JOIN).run(block.byteEnd, zstd, sourcePk, byteStart);
    else command(sqlite, ADD).run(sourcePk, byteStart, block.byteEnd, zstd);
  };
}

// Not one INSERT OR REPLACE: under foreign keys it opens a savepoint, for which the search index writes out what it
// holds. That took 1.2 ms for each block, and left the index in as many pieces.
const ADD = "INSERT INTO raw_blocks (source_pk, byte_start, byte_end, zstd) VALUES (?, ?, ?, ?)";
const JOIN = "UPDATE raw_blocks SET byte_end = ?, zstd = ? WHERE source_pk = ? AND byte_start = ?";

/** The compressed bytes. When a block fails before they are asked for, nobody hears of a failure here. */
function compress(bytes: Uint8Array): Promise<Buffer> {
  const packed = new Promise<Buffer>((resolve, reject) => {
    zstdCompress(bytes, OPTIONS, (error, result) => (error === null ? resolve(result) : reject(error)));
  });
  packed.catch(() => undefined);
  return packed;
}

/** The kept bytes of a range, block by block. */
export function* rawBytes(archive: Archive, sourcePk: number, start: number, end: number): Generator<Uint8Array> {
  const blocks = scalar(
    archive.sqlite,
    "raw_blocks.byte_start",
    "FROM raw_blocks WHERE source_pk = ? AND byte_end > ? AND byte_start < ? ORDER BY byte_start",
  ).all(sourcePk, start, end);
  const read = scalar(archive.sqlite, "raw_blocks.zstd", "FROM raw_blocks WHERE source_pk = ? AND byte_start = ?");
  for (const byteStart of blocks) {
    const zstd = read.get(sourcePk, byteStart);
    if (zstd === undefined) fail("conflict", "A file was imported again while its bytes were read. Retry in a moment.");
    const bytes = zstdDecompressSync(zstd);
    yield bytes.subarray(Math.max(0, start - byteStart), Math.min(bytes.length, end - byteStart));
  }
}

/**
 * Reads ranges of a source, many of which lie in one block: the block read last is kept unpacked. 3,000 records of one block of
 * 4 MB took 8 s without.
 */
export function rawRanges(archive: Archive, sourcePk: number): (start: number, end: number) => Uint8Array {
  const pieceOf = rawPieces(archive, sourcePk);
  return (start, end) => {
    const piece = pieceOf(start, end);
    if (piece.length === 0 || piece.length === end - start) return piece;
    return Buffer.concat([piece, ...rawBytes(archive, sourcePk, start + piece.length, end)]);
  };
}

/** The same, of a range no more than its block has; nothing where no block has its first byte. */
export function rawPieces(archive: Archive, sourcePk: number): (start: number, end: number) => Uint8Array {
  const find = select(
    archive.sqlite,
    "raw_blocks",
    ["byte_start", "byte_end", "zstd"],
    "WHERE source_pk = ? AND byte_start <= ? AND byte_end > ? ORDER BY byte_start DESC LIMIT 1",
  );
  let held = { start: 0, end: 0, bytes: new Uint8Array() };
  return (start, end) => {
    if (start < held.start || start >= held.end) {
      const block = find.get(sourcePk, start, start);
      if (block === undefined) return new Uint8Array();
      held = { start: block.byte_start, end: block.byte_end, bytes: zstdDecompressSync(block.zstd) };
    }
    return held.bytes.subarray(start - held.start, Math.min(end, held.end) - held.start);
  };
}
