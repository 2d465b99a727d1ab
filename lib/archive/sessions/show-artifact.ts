// One artifact: what it is, and its bytes. Bytes are read through the blob store, which checks the digest.
import { query, scalar } from "#db/statement.ts";
import type { ArtifactRow, ArtifactView } from "#lib/wire/artifacts-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { bytesState, shapeForPeople, shapeOfArtifact } from "../artifacts/artifact-bytes.ts";
import { isRowSound, type ArtifactDbRow } from "../base/artifact-row.ts";
import { requireLive, resolveArtifact, stateOf } from "../artifacts/resolve.ts";
import { artifactWeight } from "../load/artifact-loads.ts";
import { weightsOf } from "../load/event-weights.ts";
import { eventRowId } from "../base/row-keys.ts";
import { iso } from "../base/iso.ts";

const SELECT =
  "SELECT a.*, s.id AS session_id, s.title AS session_title FROM artifacts a JOIN sessions s ON s.pk = a.session_pk";

export function artifactRowOf(row: ArtifactDbRow, now: number): ArtifactRow {
  return {
    pointer: row.pointer,
    id: `art_${row.digest.slice(0, 16)}`,
    digest: row.digest,
    name: row.name,
    sessionId: row.session_id,
    sessionTitle: row.session_title,
    seq: row.seq,
    toolName: row.tool_name,
    toolCallId: row.tool_call_id,
    contentType: row.content_type,
    sizeBytes: row.size,
    lineCount: row.line_count,
    createdAt: iso(row.created_at) ?? "",
    expiresAt: iso(row.expires_at),
    origin: row.origin,
    isError: row.is_error === 1,
    state: stateOf(row, now),
    deletedAt: iso(row.deleted_at),
  };
}

export async function showArtifact(archive: Archive, ref: string): Promise<ArtifactView> {
  const row = resolveArtifact(archive, ref);
  const { sqlite } = archive;
  const bytes = await bytesState(archive, row);
  const canRead = bytes === "sound" || bytes === "unchecked";
  const { tokens, origin, stay } = artifactWeight(archive, row, weightsOf(archive, row.session_pk));
  const same = query(
    sqlite,
    { "*": "artifacts.*", session_id: "sessions.id", session_title: "sessions.title" },
    `${SELECT} WHERE a.digest = ? AND a.pk <> ? AND a.deleted_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > ?)
       ORDER BY a.created_at LIMIT 50`,
  ).all(row.digest, row.pk, archive.host.now());
  return {
    ...artifactRowOf(row, archive.host.now()),
    label: labelOf(archive, row),
    ...shapeForPeople(canRead ? await shapeOfArtifact(archive, row) : null),
    deletedWhy: row.deleted_why,
    description: row.description,
    bytes,
    width: row.width,
    height: row.height,
    tokens,
    tokensOrigin: origin,
    saw: row.saw,
    offloadedBy: row.offloaded_by,
    enteredAt: stay?.enteredAt ?? null,
    callsResident: stay?.callsResident ?? null,
    sameBytes: same.map((other) => ({
      pointer: other.pointer,
      sessionId: other.session_id,
      title: other.session_title,
      seq: other.seq,
    })),
    registry: { ok: isRowSound(row) },
  };
}

/** The tool and what it was asked, as its row in the transcript says. */
const labelOf = ({ sqlite }: Archive, { session_pk, seq }: ArtifactDbRow): string | null =>
  seq === null
    ? null
    : (scalar(sqlite, "events.label", "FROM events WHERE id = ?").get(eventRowId(session_pk, seq)) ?? null);

/** The bytes of an artifact, whole or a range; the digest of a whole reading is checked. */
export async function openArtifact(archive: Archive, ref: string) {
  const row = requireLive(archive, resolveArtifact(archive, ref), ref);
  const size = await archive.blobs.size(row.digest);
  return {
    digest: row.digest,
    sizeBytes: size,
    contentType: row.content_type,
    name: row.name ?? `${row.digest.slice(0, 16)}.bin`,
    read: (range?: { start: number; end: number }): AsyncIterable<Uint8Array> => archive.blobs.read(row.digest, range),
  };
}
