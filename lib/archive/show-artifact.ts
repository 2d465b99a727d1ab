// One artifact: what it is, and its bytes. Bytes are read through the blob store, which checks the digest.
import { fail } from "#lib/kernel/errors.ts";
import { estimateTokens } from "#lib/kernel/host.ts";
import { shapeOf } from "#lib/kernel/artifacts/shape.ts";
import type { ArtifactRow, ArtifactView } from "#lib/wire/artifacts.ts";
import type { Archive } from "./archive.ts";
import { isRowSound, type ArtifactDbRow } from "./artifacts/artifact-row.ts";
import { remembered, staysOf, tokenizerOf } from "./rows.ts";
import { iso } from "./session-view.ts";

const SELECT =
  "SELECT a.*, s.id AS session_id, s.title AS session_title FROM artifacts a JOIN sessions s ON s.pk = a.session_pk";

/** Text of an artifact that `shape` looks at (bytes). */
const SHAPE_BYTES = 4 * 1024 * 1024;
/** An artifact by pointer (`art:<uuid>`), by `art_<16 hex>`, by digest, or `SESSION/NAME`. */
export function findArtifact(archive: Archive, ref: string): ArtifactDbRow {
  const { sqlite } = archive;
  const by = (where: string, ...values: unknown[]): ArtifactDbRow | undefined =>
    sqlite.prepare(`${SELECT} WHERE ${where} ORDER BY a.created_at DESC, a.pk DESC LIMIT 1`).get(...values) as
      | ArtifactDbRow
      | undefined;
  let row = by("a.pointer = ?", ref);
  if (row === undefined && /^art_[0-9a-f]{16}$/.test(ref))
    row = by("a.digest >= ? AND a.digest < ?", ref.slice(4), `${ref.slice(4)}g`);
  if (row === undefined && /^[0-9a-f]{64}$/.test(ref)) row = by("a.digest = ?", ref);
  if (row === undefined && ref.includes("/")) {
    const at = ref.indexOf("/");
    const pk = sqlite.prepare("SELECT pk FROM sessions WHERE id = ?").pluck().get(ref.slice(0, at));
    if (pk !== undefined) row = by("a.session_pk = ? AND a.name = ?", pk, ref.slice(at + 1));
  }
  return (
    row ??
    fail(
      "not_found",
      `No artifact "${ref.length > 80 ? `${ref.slice(0, 80)}…` : ref}" in this archive. It may have been swept; import its session again.`,
    )
  );
}

export function artifactRowOf(row: ArtifactDbRow): ArtifactRow {
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
  };
}

export async function showArtifact(archive: Archive, ref: string): Promise<ArtifactView> {
  const row = findArtifact(archive, ref);
  const { sqlite } = archive;
  const isText = row.line_count !== null;
  const head = isText ? await readHead(archive, row, SHAPE_BYTES) : "";
  const stay =
    row.seq === null
      ? null
      : remembered(archive, "stays", row.session_pk, () => staysOf(archive, row.session_pk))(row.seq);
  const counted = sqlite
    .prepare("SELECT tokens FROM token_counts WHERE digest = ? AND tokenizer = ?")
    .pluck()
    .get(Buffer.from(row.digest, "hex"), tokenizerOf(archive, row.session_pk)) as number | undefined;
  const same = sqlite
    .prepare(`${SELECT} WHERE a.digest = ? AND a.pk <> ? ORDER BY a.created_at LIMIT 50`)
    .all(row.digest, row.pk) as ArtifactDbRow[];
  return {
    ...artifactRowOf(row),
    shape: isText ? shapeOf(head, row.content_type, row.line_count, row.size <= SHAPE_BYTES) : null,
    width: row.width,
    height: row.height,
    tokens: isText ? (counted ?? estimateTokens(row.size)) : null,
    origin: isText ? (counted === undefined ? "estimated" : "counted") : null,
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

/** The bytes of an artifact, whole or a range; the digest of a whole reading is checked. */
export async function openArtifact(archive: Archive, ref: string) {
  const row = findArtifact(archive, ref);
  const size = await archive.blobs.size(row.digest);
  return {
    digest: row.digest,
    sizeBytes: size,
    contentType: row.content_type,
    name: row.name ?? `${row.digest.slice(0, 16)}.bin`,
    read: (range?: { start: number; end: number }): AsyncIterable<Uint8Array> => archive.blobs.read(row.digest, range),
  };
}

/** The whole text of an artifact; bytes that are not UTF-8 come as U+FFFD. */
export async function readText(archive: Archive, pointer: string): Promise<string> {
  const row = findArtifact(archive, pointer);
  return readHead(archive, row, row.size);
}

async function readHead(archive: Archive, row: ArtifactDbRow, bytes: number): Promise<string> {
  const range = bytes >= row.size ? undefined : { start: 0, end: bytes };
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of archive.blobs.read(row.digest, range)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
