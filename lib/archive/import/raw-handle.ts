// The raw blocks of a source as a file to read: for a later parser, for a rebuild, and to compare with what the file holds now.
import { query } from "#db/statement.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import type { Archive } from "../base/archive-type.ts";
import { rawBytes } from "./raw-writer.ts";

export function rawHandle(archive: Archive, sourcePk: number): SourceHandle {
  const row = query(
    archive.sqlite,
    { path: "sources.path", dev: "sources.dev", ino: "sources.ino", mtimeMs: "sources.mtime_ms", size: "integer?" },
    "SELECT path, dev, ino, mtime_ms AS mtimeMs, (SELECT max(byte_end) FROM raw_blocks WHERE source_pk = sources.pk) AS size FROM sources WHERE pk = ?",
  ).get(sourcePk)!;
  return {
    ...row,
    // Read by a version of Plimsoll that did not note them, or never read from a file.
    dev: row.dev ?? "",
    ino: row.ino ?? "",
    size: row.size ?? 0,
    fd: -1,
    read: async (start, length, into) => {
      const bytes = Buffer.concat([...rawBytes(archive, sourcePk, start, start + length)]);
      if (into === undefined) return bytes;
      bytes.copy(into as Buffer);
      return into.subarray(0, bytes.length);
    },
    close: async () => undefined,
  };
}
