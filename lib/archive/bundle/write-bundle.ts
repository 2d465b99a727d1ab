// A session with its family as one zip, piece by piece: files as they were read, rows that no file tells of, outputs by their
// digests, and last the manifest, which has the digest of each entry. Of the same session it has the same bytes everywhere.
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { columns, query } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { pathBefore } from "../base/bundle-path.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { checkedPieces, requireSameBytes } from "../base/unchanged-rows.ts";
import { rawBytes } from "../import/raw-writer.ts";
import { storedOutputsOf } from "../import/reparse.ts";
import { familyOf, type Family } from "./bundle-family.ts";
import {
  artifactEntry,
  BUNDLE_VERSION,
  entriesOf,
  fileEntry,
  MANIFEST,
  requireBounds,
  rowsEntry,
  type BundleEntry,
  type Manifest,
} from "./bundle-manifest.ts";
import { rowsOf, type BundledRow } from "./bundle-rows.ts";

/** What goes into an entry, and what is known of it once it went. */
export type BundlePart = {
  readonly entry: { -readonly [Key in keyof BundleEntry]: BundleEntry[Key] };
  readonly read: () => AsyncIterable<Uint8Array>;
};

export type BundlePlan = {
  readonly manifest: Manifest;
  readonly parts: readonly BundlePart[];
  readonly name: string;
  /** Says in the manifest what is known once all parts were written. */
  readonly finish?: () => void;
};

/** What a bundle of a session will have. Fails at once where there is no such session, or where it is too large. */
export function planBundle(archive: Archive, name: string): BundlePlan {
  const pk = findSession(archive, name);
  const family = familyOf(archive, pk);
  const parts: BundlePart[] = [];
  const files = family.sources.map((source, n) => filePart(archive, source, n, family, parts));
  const sessions = family.sessions.map((session) => sessionPart(archive, session, family, parts));
  const artifacts = artifactParts(archive, family, parts);
  const id = sessionIdOf(archive, pk)!;
  const manifest: Manifest = { plimsollBundle: BUNDLE_VERSION, session: id, masked: null, files, sessions, artifacts };
  requireBounds(
    parts.reduce((sum, { entry }) => sum + entry.sizeBytes, 0),
    parts.length + 1,
  );
  return { manifest, parts, name: `${id}.plimsoll.zip` };
}

// No time of this day: the same session is the same bytes. In the zone of whoever reads it, since zip knows none.
const MTIME = new Date(1980, 0, 1);
const OPTIONS = { mtime: MTIME, mode: 0o100600, compressionLevel: 1, forceDosTimestamp: true };

/** The bytes of the zip. Whoever stops asking stops all of it. */
export async function* bundleBytes({ manifest, parts, finish }: BundlePlan): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on("error", (error: Error) => output.destroy(error));
  let open: Readable | null = null;
  for (const { entry, read } of parts)
    zip.addReadStreamLazy(entry.name, OPTIONS, (give) => {
      open = Readable.from(measured(entry, read()), { objectMode: false });
      // Nothing else listens: an entry that cannot be read would end the whole server.
      open.once("error", (error) => output.destroy(error));
      give(null, open);
    });
  zip.addReadStreamLazy(MANIFEST, OPTIONS, (give) => {
    // Sizes of rows are known now.
    try {
      requireBounds(
        entriesOf(manifest).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        parts.length + 1,
      );
      finish?.();
      give(null, Readable.from([Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)]));
    } catch (error) {
      output.destroy(error as Error);
    }
  });
  zip.end();
  try {
    for await (const piece of output) yield piece as Uint8Array;
  } finally {
    (open as Readable | null)?.destroy();
    output.destroy();
  }
}

async function* measured(entry: BundlePart["entry"], pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    size += piece.length;
    yield piece;
  }
  const sha256 = hash.digest("hex");
  if (entry.sha256 !== "" && entry.sha256 !== sha256) fail("conflict", `${entry.name} changed while it was written.`);
  entry.sizeBytes = size;
  entry.sha256 = sha256;
}

function filePart(
  archive: Archive,
  source: number,
  n: number,
  family: Family,
  parts: BundlePart[],
): Manifest["files"][number] {
  const row = query(
    archive.sqlite,
    {
      ...columns("sources", "path", "format", "native_id", "mtime_ms", "changed_at", "head", "earlier", "earlier_of"),
      ...columns("sources", "replaced_at", "is_part", "state"),
      size: "integer",
    },
    `SELECT path, format, native_id, mtime_ms, changed_at, head, earlier, earlier_of, replaced_at, is_part, state,
       (SELECT coalesce(max(byte_end), 0) FROM raw_blocks WHERE source_pk = sources.pk) AS size FROM sources WHERE pk = ?`,
  ).get(source)!;
  const of = row.earlier_of === null ? null : family.sources.indexOf(row.earlier_of);
  const path = pathBefore(row.path);
  const entry = { name: fileEntry(n, path), sizeBytes: row.size, sha256: "" };
  const requireSame = requireSameBytes(archive, source, row.size);
  parts.push({ entry, read: () => checkedPieces(rawBytes(archive, source, 0, row.size), requireSame) });
  const outputs = [...storedOutputsOf(archive, source)].map(
    ([toolCallId, { digest, size, lineCount, contentType }]) => ({
      toolCallId,
      digest,
      sizeBytes: size,
      lineCount,
      contentType: contentType ?? "text/plain",
    }),
  );
  return {
    entry,
    path,
    format: row.format!,
    nativeId: row.native_id,
    mtimeMs: row.mtime_ms,
    changedAt: row.changed_at,
    head: row.head,
    earlier: row.earlier,
    earlierOf: of,
    replacedAt: row.replaced_at,
    isPart: row.is_part === 1,
    state: row.state,
    outputs: outputs.toSorted((a, b) => (a.toolCallId < b.toolCallId ? -1 : 1)),
  };
}

function sessionPart(archive: Archive, pk: number, family: Family, parts: BundlePart[]): Manifest["sessions"][number] {
  const find = query(
    archive.sqlite,
    {
      ...columns("sessions", "id", "native_id", "title", "lane", "source_pk", "next_seq"),
      version: "sessions.version",
    },
    "FROM sessions WHERE pk = ?",
  );
  const row = find.get(pk)!;
  const isWhole = row.source_pk === null;
  const entry = { name: rowsEntry(row.id), sizeBytes: 0, sha256: "" };
  const hasRows = !rowsOf(archive, pk, isWhole).next().done;
  const requireSame = (): void => {
    const now = find.get(pk);
    if (now?.id !== row.id || now.version !== row.version)
      fail("conflict", `Session ${row.id} changed meanwhile. Retry.`);
  };
  if (hasRows) parts.push({ entry, read: () => checkedPieces(linesOf(rowsOf(archive, pk, isWhole)), requireSame) });
  return {
    id: row.id,
    nativeId: row.native_id,
    title: row.title,
    lane: row.lane,
    file: isWhole ? null : family.sources.indexOf(row.source_pk!),
    events: row.next_seq - 1,
    rows: hasRows ? entry : null,
  };
}

function* linesOf(rows: Iterable<BundledRow>): Generator<Uint8Array> {
  for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
}

/** Every output of the family that is still here, once. */
function artifactParts(archive: Archive, { sessions }: Family, parts: BundlePart[]): Manifest["artifacts"] {
  const find = query(
    archive.sqlite,
    { ...columns("artifacts", "digest", "size"), type: "artifacts.content_type" },
    "SELECT DISTINCT a.digest, a.size, a.content_type AS type FROM artifacts a JOIN blobs b ON b.digest = a.digest WHERE a.session_pk = ? AND a.deleted_at IS NULL AND b.removed_at IS NULL",
  );
  const found = new Map<string, { size: number; types: Set<string> }>();
  for (const pk of sessions)
    for (const { digest, size, type } of find.all(pk)) {
      const known = found.get(digest) ?? { size, types: new Set<string>() };
      found.set(digest, { size, types: known.types.add(type) });
    }
  const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([digest, { size, types }]) => {
    const entry = { name: artifactEntry(digest), sizeBytes: size, sha256: digest };
    parts.push({ entry, read: () => archive.blobs.read(digest) });
    return { entry, contentTypes: [...types].toSorted() };
  });
}

/** How many of each a bundle has, for whoever writes it. */
export const planCounts = ({ manifest }: BundlePlan): { sessions: number; files: number; artifacts: number } => ({
  sessions: manifest.sessions.length,
  files: manifest.files.length,
  artifacts: manifest.artifacts.length,
});
