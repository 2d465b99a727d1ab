// Files that belong to a session beside its own: what the agent notes of a sub-agent, outputs that it put into files. Agents
// delete them with the session, so their bytes are kept from the first sight: small ones here, outputs as blobs.
import { createHash } from "node:crypto";
import { command, query, type Columns, type RowOf } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";

const BESIDE = {
  sourcePk: "beside_files.source_pk",
  path: "beside_files.path",
  sizeBytes: "beside_files.size",
  mtimeMs: "beside_files.mtime_ms",
  digest: "beside_files.digest",
  bytes: "beside_files.bytes",
} as const satisfies Columns;
export type BesideFile = RowOf<typeof BESIDE>;

/** A file as it was read: its bytes, or the digest of the blob that they became. */
export type FoundFile = { readonly path: string; readonly mtimeMs: number } & (
  | { readonly bytes: Uint8Array }
  | { readonly digest: string; readonly sizeBytes: number }
);

/** Notes a file that was read, inside the open batch. The latest bytes of a path hold. */
export function saveBeside(archive: Archive, sourcePk: number, file: FoundFile): void {
  const bytes = "bytes" in file ? Buffer.from(file.bytes) : null;
  const digest = "bytes" in file ? createHash("sha256").update(file.bytes).digest("hex") : file.digest;
  const size = "bytes" in file ? file.bytes.length : file.sizeBytes;
  const { sqlite } = archive;
  // It is met again with each line that is appended to its session's file.
  const same = command(
    sqlite,
    "SELECT 1 FROM beside_files WHERE source_pk = ? AND path = ? AND digest = ? AND mtime_ms = ?",
  );
  if (same.get(sourcePk, file.path, digest, file.mtimeMs) !== undefined) return;
  command(
    sqlite,
    `INSERT INTO beside_files (source_pk, path, size, mtime_ms, digest, bytes) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (source_pk, path) DO UPDATE SET size = excluded.size, mtime_ms = excluded.mtime_ms,
         digest = excluded.digest, bytes = excluded.bytes`,
  ).run(sourcePk, file.path, size, file.mtimeMs, digest, bytes);
}

export const besideFilesOf = (archive: Archive, sourcePk: number): BesideFile[] =>
  query(
    archive.sqlite,
    BESIDE,
    `SELECT source_pk AS sourcePk, path, size AS sizeBytes, mtime_ms AS mtimeMs, digest, bytes
       FROM beside_files WHERE source_pk = ? ORDER BY path`,
  ).all(sourcePk);
