// The raw blocks of a source as a file to read: for a later parser, for a rebuild, and to compare with what the file holds now.
import { query } from "#db/statement.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import type { Archive } from "../base/archive-type.ts";
import { rawPieces } from "./raw-writer.ts";

export function rawHandle(archive: Archive, sourcePk: number): SourceHandle {
  const row = query(
    archive.sqlite,
    { path: "sources.path", dev: "sources.dev", ino: "sources.ino", mtimeMs: "sources.mtime_ms", size: "integer?" },
    "SELECT path, dev, ino, mtime_ms AS mtimeMs, (SELECT max(byte_end) FROM raw_blocks WHERE source_pk = sources.pk) AS size FROM sources WHERE pk = ?",
  ).get(sourcePk)!;
  const size = row.size ?? 0;
  // A block ends where a line does and a reading does not: each was unpacked twice.
  const piecesOf = rawPieces(archive, sourcePk);
  return {
    ...row,
    // Read by a version of Plimsoll that did not note them, or never read from a file.
    dev: row.dev ?? "",
    ino: row.ino ?? "",
    size,
    fd: -1,
    read: async (start, length, into) => {
      const buffer = into ?? Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, size - start)));
      const end = Math.min(start + length, size);
      let filled = 0;
      for (let position = start; position < end; position = start + filled) {
        const piece = piecesOf(position, end);
        if (piece.length === 0) break;
        buffer.set(piece, filled);
        filled += piece.length;
      }
      return buffer.subarray(0, filled);
    },
    close: async () => undefined,
  };
}
