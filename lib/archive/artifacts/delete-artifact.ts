// Deleting by hand, and what it would mean, told before.
import { query, scalar } from "#db/statement.ts";
import type { DeletePreview, Tombstone } from "#lib/wire/retention-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { eventRowId, seqOfRow, sessionOfRow } from "../base/row-keys.ts";
import { iso } from "../base/iso.ts";
import { write } from "../base/write.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";
import { resolveArtifact, stateOf } from "./resolve.ts";
import { deleteArtifactWrite } from "./tombstone.ts";

/** Ends an artifact: its pointer answers from now on what was there. Asked again, it answers the same. */
export async function deleteArtifact(archive: Archive, ref: string): Promise<Tombstone> {
  const row = resolveArtifact(archive, ref);
  await write(archive, deleteArtifactWrite, { pointer: row.pointer });
  return tombstoneOf(resolveArtifact(archive, row.pointer), archive.host.now())!;
}

/** What is left of an artifact that is gone, or null for one that is there. */
function tombstoneOf(row: ArtifactDbRow, now: number): Tombstone | null {
  const state = stateOf(row, now);
  if (state === "live") return null;
  return {
    pointer: row.pointer,
    name: row.name,
    toolName: row.tool_name,
    contentType: row.content_type,
    sizeBytes: row.size,
    sessionId: row.session_id,
    createdAt: iso(row.created_at) ?? "",
    state,
    why: row.deleted_why ?? "expired",
    at: iso(row.deleted_at ?? row.expires_at) ?? "",
  };
}

/** References of one artifact that are listed; all of its session are counted. */
const LISTED = 50;

/** What deleting an artifact would take away, and what would stay. */
export async function deletePreview(archive: Archive, ref: string): Promise<DeletePreview> {
  const row = resolveArtifact(archive, ref);
  const { sqlite } = archive;
  const count = (sql: string, ...values: unknown[]): number => scalar(sqlite, "integer", sql).get(...values)!;
  const others = count(
    "SELECT count(*) FROM artifacts WHERE digest = ? AND pk <> ? AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > ?)",
    row.digest,
    row.pk,
    archive.host.now(),
  );
  const source = query(
    sqlite,
    { path: "sources.path?", status: "sources.status?", held: "sessions.held", is_kept: "integer" },
    `SELECT f.path, f.status, s.held, EXISTS (SELECT 1 FROM raw_blocks r WHERE r.source_pk = f.pk) AS is_kept
         FROM sessions s LEFT JOIN sources f ON f.pk = s.source_pk WHERE s.pk = ?`,
  ).get(row.session_pk)!;
  const isGone = row.deleted_at !== null;
  return {
    pointer: row.pointer,
    name: row.name,
    sizeBytes: row.size,
    isGone,
    sharedBy: others,
    bytesGo: !isGone && others === 0,
    inSource: source.is_kept === 1 ? { path: source.path ?? "", isOnDisk: source.status !== "gone" } : null,
    names: scalar(
      sqlite,
      "artifact_names.name",
      "SELECT DISTINCT name FROM artifact_names WHERE pointer = ? ORDER BY name LIMIT ?",
    ).all(row.pointer, LISTED),
    reads: count("SELECT count(*) FROM artifact_reads WHERE pointer = ?", row.pointer),
    places: referencesTo(archive, row),
  };
}

/** Events that show the artifact or whose text names it: found by the search index, so that a large archive is not read. */
function referencesTo(archive: Archive, row: ArtifactDbRow): DeletePreview["places"] {
  const { sqlite } = archive;
  // Its own event is known by its number: going through the events of its session could mean a million rows.
  const own = row.seq === null ? [] : [eventRowId(row.session_pk, row.seq)];
  const words = [row.pointer.slice(4), (row.content_id ?? `art_${row.digest.slice(0, 16)}`).replace("_", " ")];
  const named = scalar(sqlite, "integer", "SELECT rowid FROM search WHERE search MATCH ? LIMIT ?").all(
    words.map((word) => `"${word.replaceAll(/[^A-Za-z0-9]+/g, " ")}"`).join(" OR "),
    LISTED,
  );
  const idOf = scalar(sqlite, "sessions.id", "FROM sessions WHERE pk = ?");
  return [...new Set([...own, ...named])]
    .toSorted((a, b) => a - b)
    .slice(0, LISTED)
    .map((id) => ({ sessionId: idOf.get(sessionOfRow(id))!, seq: seqOfRow(id), isText: !own.includes(id) }));
}
