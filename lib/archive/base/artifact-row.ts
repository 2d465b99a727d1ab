// The row of an artifact and its registry line: the only code that writes either. The line holds what the row holds, so
// that the rows come back from blobs and registries when the database is lost.
import type { Rows } from "#db/schema.ts";
import { command, query, select, type Columns, type RowOf } from "#db/statement.ts";
import type { Archive } from "./archive-type.ts";
import type { Batch } from "./batch.ts";
import { checksumOf } from "./row-keys.ts";

/** What an artifact of any session has. */
export type ArtifactFields = {
  readonly pointer: string;
  readonly seq: number | null;
  readonly digest: string;
  readonly name: string | null;
  readonly toolName: string | null;
  readonly toolCallId: string | null;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly lineCount: number | null;
  readonly createdAt: number;
};

/** What artifacts of held sessions have beside, and what becomes of an artifact later. */
export type ArtifactExtras = {
  readonly origin: "imported" | "auto" | "manual" | "upload" | "migrated";
  /** `art_` and 24 or 64 hex, where another content of the archive begins with the same 16; null for 16. */
  readonly contentId: string | null;
  readonly turn: number | null;
  readonly description: string | null;
  readonly isError: boolean;
  readonly expiresAt: number | null;
  readonly deletedAt: number | null;
  /** `deleted`, `expired` or `swept`. */
  readonly deletedWhy: string | null;
};

export type NewArtifact = ArtifactFields &
  Partial<ArtifactExtras> & {
    readonly saw: "full" | "preview";
    readonly offloadedBy: string | null;
    readonly width?: number | null;
    readonly height?: number | null;
    readonly preview?: string | null;
  };

const NO_EXTRAS: ArtifactExtras = {
  origin: "imported",
  contentId: null,
  turn: null,
  description: null,
  isError: false,
  expiresAt: null,
  deletedAt: null,
  deletedWhy: null,
};
const EXTRAS = Object.keys(NO_EXTRAS) as (keyof ArtifactExtras)[];

/** The checksum of a row. Extras count where they are not the default: rows of older archives keep their checksum. */
export function artifactChecksum(row: ArtifactFields & Partial<ArtifactExtras>): number {
  const base = [
    row.pointer,
    row.seq,
    row.digest,
    row.name,
    row.toolName,
    row.toolCallId,
    row.contentType,
    row.sizeBytes,
    row.lineCount,
    row.createdAt,
  ] as const;
  const extras = EXTRAS.map((key) => row[key] ?? NO_EXTRAS[key]);
  return EXTRAS.every((key, i) => extras[i] === NO_EXTRAS[key])
    ? checksumOf(...base)
    : checksumOf(...base, JSON.stringify(extras));
}

type Owner = { readonly pk: number; readonly id: string; readonly nativeId: string };

/** Writes the row and its registry line. A pointer that a person deleted comes back as the tombstone that it was. */
export function addArtifactRow(archive: Archive, batch: Batch, owner: Owner, given: NewArtifact): void {
  const { sqlite } = archive;
  const deleted = select(sqlite, "deleted_pointers", ["at", "why"], "WHERE pointer = ?").get(given.pointer);
  const row: NewArtifact = deleted === undefined ? given : { ...given, deletedAt: deleted.at, deletedWhy: deleted.why };
  insertArtifactRow(archive, owner.pk, row);
  const { preview: _, ...line } = row;
  batch.register(owner.id, { ...line, nativeId: owner.nativeId });
}

/** The row alone: its registry line is there. */
export function insertArtifactRow(archive: Archive, sessionPk: number, row: NewArtifact): void {
  command(
    archive.sqlite,
    `INSERT INTO artifacts (pointer, session_pk, seq, digest, name, tool_name, tool_call_id, content_type, size, line_count,
       width, height, saw, offloaded_by, created_at, expires_at, content_id, turn, origin, description, preview, is_error,
       deleted_at, deleted_why, checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
  ).run(
    row.pointer,
    sessionPk,
    row.seq,
    row.digest,
    row.name,
    row.toolName,
    row.toolCallId,
    row.contentType,
    row.sizeBytes,
    row.lineCount,
    row.width ?? null,
    row.height ?? null,
    row.saw,
    row.offloadedBy,
    row.createdAt,
    row.expiresAt ?? null,
    row.contentId ?? null,
    row.turn ?? null,
    row.origin ?? "imported",
    row.description ?? null,
    row.preview ?? null,
    row.isError === true ? 1 : 0,
    row.deletedAt ?? null,
    row.deletedWhy ?? null,
    artifactChecksum(row),
  );
}

/** An artifact with the session that stored it: `a` and `s` of what queries select. */
export const ARTIFACT_ROW = {
  "*": "artifacts.*",
  session_id: "sessions.id",
  session_title: "sessions.title",
} as const satisfies Columns;
export type ArtifactDbRow = RowOf<typeof ARTIFACT_ROW>;

/** What a row of the table says, in the fields of the registry line. */
export function artifactOfRow(row: Rows["artifacts"]): NewArtifact {
  return {
    pointer: row.pointer,
    seq: row.seq,
    digest: row.digest,
    name: row.name,
    toolName: row.tool_name,
    toolCallId: row.tool_call_id,
    contentType: row.content_type,
    sizeBytes: row.size,
    lineCount: row.line_count,
    createdAt: row.created_at,
    saw: row.saw,
    offloadedBy: row.offloaded_by,
    ...(row.width !== null && row.height !== null && { width: row.width, height: row.height }),
    origin: row.origin,
    contentId: row.content_id,
    turn: row.turn,
    description: row.description,
    isError: row.is_error === 1,
    expiresAt: row.expires_at,
    deletedAt: row.deleted_at,
    deletedWhy: row.deleted_why,
  };
}

export const isRowSound = (row: Rows["artifacts"]): boolean => row.checksum === artifactChecksum(artifactOfRow(row));

/** Writes the registry lines of a session again, under the id that it has now. */
export function registerAgain(archive: Archive, batch: Batch, pk: number): void {
  const rows = query(
    archive.sqlite,
    { "*": "artifacts.*", session_id: "sessions.id", native_id: "sessions.native_id" },
    `SELECT a.*, s.id AS session_id, s.native_id FROM artifacts a JOIN sessions s ON s.pk = a.session_pk
     WHERE s.pk = ? ORDER BY a.pk`,
  ).all(pk);
  for (const row of rows) batch.register(row.session_id, { ...artifactOfRow(row), nativeId: row.native_id });
}
