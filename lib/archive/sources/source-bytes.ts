// The bytes of a source as they were read, from the archive: the file itself may be gone.
import { checkedPieces, requireSameBytes } from "../base/unchanged-rows.ts";
import { columns, query } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { rawBytes } from "../import/raw-writer.ts";
import { rowRange } from "../base/row-keys.ts";

export type RawBytes = {
  readonly name: string;
  readonly sizeBytes: number;
  readonly bytes: (range?: { start: number; end: number }) => AsyncIterable<Uint8Array>;
};

const baseName = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);

const versionName = (name: string, version: number): string => name.replace(/(\.[^.]*)?$/, `-version-${version}$1`);

/** A whole source file, by the path it was read from. */
export async function openSourceBytes(archive: Archive, path: string): Promise<RawBytes> {
  const row = query(
    archive.sqlite,
    { ...columns("sources", "pk", "earlier", "status", "reason"), size: "integer?" },
    "SELECT pk, earlier, status, reason, (SELECT max(byte_end) FROM raw_blocks WHERE source_pk = sources.pk) AS size FROM sources WHERE path = ?",
  ).get(path);
  if (row === undefined) fail("not_found", "No source with this path. Sources lists them.");
  if (row.size === null && (row.status === "skipped" || row.status === "failed"))
    fail("not_found", `Nothing was read from this file. ${row.reason ?? ""}`.trim());
  const size = row.size ?? 0;
  const requireSame = requireSameBytes(archive, row.pk, size);
  return {
    name: row.earlier === null ? baseName(path) : versionName(baseName(path), row.earlier),
    sizeBytes: size,
    bytes: (range) => checkedPieces(rawBytes(archive, row.pk, range?.start ?? 0, range?.end ?? size), requireSame),
  };
}

/** The record that an event comes from, byte for byte. */
export async function rawOfEvent(archive: Archive, name: string, seq: number): Promise<RawBytes> {
  const pk = findSession(archive, name);
  const row = query(
    archive.sqlite,
    { start: "events.byte_start", end: "events.byte_end", sourcePk: "sessions.source_pk", id: "sessions.id" },
    "SELECT e.byte_start AS start, e.byte_end AS end, s.source_pk AS sourcePk, s.id FROM events e JOIN sessions s ON s.pk = ? WHERE e.id = ?",
  ).get(pk, rowRange(pk, seq)[0]);
  if (row === undefined) fail("not_found", `Session ${name} has no event ${seq}.`);
  if (row.sourcePk === null) fail("not_found", `Event ${seq} has no file.`);
  const sourcePk = row.sourcePk;
  return {
    name: `${row.id}-${seq}.json`,
    sizeBytes: row.end - row.start,
    bytes: async function* (range) {
      const end = range === undefined ? row.end : Math.min(row.end, row.start + range.end);
      yield* rawBytes(archive, sourcePk, row.start + (range?.start ?? 0), end);
    },
  };
}
