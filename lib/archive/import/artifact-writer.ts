// Keeping outputs and images: blob, artifact row, registry line. The blob is visible once the batch is
// flushed, before the row that names it is committed.
import { constants } from "node:buffer";
import { extensionOf, sniffText, typeOfName } from "#lib/kernel/artifacts/content-type.ts";
import { imageSize } from "#lib/kernel/artifacts/image-size.ts";
import type { Attachment } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { addArtifactRow, type NewArtifact } from "../base/artifact-row.ts";
import { pointerFor } from "../base/row-keys.ts";
import type { Batch } from "../base/batch.ts";
import { statementsOf } from "./statements.ts";

export type ArtifactOwner = {
  readonly pk: number;
  readonly id: string;
  readonly nativeId: string;
};

/** What an artifact belongs to, and what is known of it beside its bytes. */
export type ArtifactOrigin = {
  readonly seq: number;
  readonly ts: number | null;
  readonly toolName: string | null;
  readonly toolCallId: string | null;
  /** Path or title from the tool's input, if it has one. */
  readonly subject: string | null;
  readonly saw: "full" | "preview";
  readonly offloadedBy: string | null;
  /** Stable position of the output: record key or byte, and index inside the record. */
  readonly key: string;
  /** What a held session says of it beside. */
  readonly held?: Partial<NewArtifact>;
};

export type StoredBlob = {
  readonly digest: string;
  readonly size: number;
  readonly lineCount: number | null;
  /** What an earlier reading found it to be; absent: its preview says. */
  readonly contentType?: string;
  /** Its first text, for the search index: the event has only an envelope of it. */
  readonly text?: string;
};

export function countLines(bytes: Uint8Array): number {
  let lines = bytes.length > 0 && bytes[bytes.length - 1] !== 0x0a ? 1 : 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}

/**
 * Keeps a text output and returns its pointer. `bytes` is its UTF-8, which nobody changes until the batch is flushed; `known` is
 * their digest where its event has it: half of what Codex's events show is kept so, and would be digested twice.
 */
export function keepText(
  archive: Archive,
  batch: Batch,
  owner: ArtifactOwner,
  text: string,
  bytes: Uint8Array,
  where: ArtifactOrigin,
  known?: string,
): string {
  const digest = archive.blobs.stage(bytes, known === undefined ? {} : { digest: known });
  const blob = { digest, size: bytes.length, lineCount: countLines(bytes) };
  return keepBlob(archive, batch, owner, blob, textType(text, where.subject), where, null);
}

function textType(text: string, subject: string | null): string {
  const sniffed = sniffText(text);
  if (sniffed !== "text/plain" || subject === null) return sniffed;
  const named = typeOfName(subject);
  return named !== null && named.startsWith("text/") ? named : sniffed;
}

/** Keeps an image or document and returns its pointer and size in pixels, or null when its base64 is not readable. */
export function keepAttachment(
  archive: Archive,
  batch: Batch,
  owner: ArtifactOwner,
  attachment: Attachment,
  where: ArtifactOrigin,
): { pointer: string; width: number | null; height: number | null } | null {
  if (attachment.base64.length > constants.MAX_STRING_LENGTH / 2) return null;
  const bytes = Buffer.from(attachment.base64, "base64");
  if (bytes.length === 0) return null;
  const size = imageSize(bytes);
  const blob = { digest: archive.blobs.stage(bytes), size: bytes.length, lineCount: null };
  const pointer = keepBlob(archive, batch, owner, blob, attachment.mediaType, where, size);
  return { pointer, width: size?.width ?? null, height: size?.height ?? null };
}

/** Keeps what an agent had put into a file: of the type that an earlier reading found, else of its preview's. */
export function keepFound(
  archive: Archive,
  batch: Batch,
  owner: ArtifactOwner,
  blob: StoredBlob,
  preview: string,
  where: ArtifactOrigin,
): string {
  return keepBlob(archive, batch, owner, blob, blob.contentType ?? typeOfPreview(preview), where, null);
}

const typeOfPreview = (preview: string): string =>
  !/^Format: JSON/m.test(preview.slice(0, 2000)) &&
  sniffText(preview.slice(preview.indexOf("\n\n") + 2)) === "text/plain"
    ? "text/plain"
    : "application/json";

/** Rows and registry line of a blob that is already staged. */
export function keepBlob(
  archive: Archive,
  batch: Batch,
  owner: ArtifactOwner,
  blob: StoredBlob,
  contentType: string,
  where: ArtifactOrigin,
  pixels: { width: number; height: number } | null,
): string {
  const sql = statementsOf(archive.sqlite);
  const createdAt = where.ts ?? batch.now;
  const seed = [plainName(owner.nativeId), where.key, blob.digest] as const;
  const first = where.held?.pointer ?? pointerFor(...seed);
  let pointer = first;
  // The same output in a diverged copy of a session that has the same name, or in a record that stands in the file again: it
  // gets a pointer of its own. A thousand of one record are not counted from two each time.
  if (sql.findPointer.get(pointer) !== undefined) {
    const copies = copiesOf(owner);
    let copy = copies.get(first) ?? 2;
    for (pointer = pointerFor(...seed, copy); sql.findPointer.get(pointer) !== undefined;)
      pointer = pointerFor(...seed, ++copy);
    copies.set(first, copy + 1);
  }
  const name = nameOf(where, contentType);
  sql.insertBlob.run(blob.digest, blob.size, blob.lineCount, batch.now);
  addArtifactRow(archive, batch, owner, {
    pointer,
    seq: where.seq,
    digest: blob.digest,
    name,
    toolName: where.toolName,
    toolCallId: where.toolCallId,
    contentType,
    sizeBytes: blob.size,
    lineCount: blob.lineCount,
    createdAt,
    saw: where.saw,
    offloadedBy: where.offloadedBy,
    ...pixels,
    ...where.held,
  });
  return pointer;
}

/** Up to which copy the pointers of an output are taken, while a session is written. */
const taken = new WeakMap<ArtifactOwner, Map<string, number>>();

function copiesOf(owner: ArtifactOwner): Map<string, number> {
  let copies = taken.get(owner);
  if (copies === undefined) taken.set(owner, (copies = new Map()));
  return copies;
}

/** A session's name without what was added because another file claims it too, or because it is an earlier version. */
export const plainName = (nativeId: string): string =>
  nativeId.replace(/~(claim\d+|earlier\d+|[0-9a-f]{8}(-\d+)?)(?=\/|$)/, "");

function nameOf(where: ArtifactOrigin, contentType: string): string {
  const subject = where.subject?.split(/[\\/]/).at(-1)?.slice(0, 200);
  if (subject !== undefined && subject !== "" && typeOfName(subject) !== null) return subject;
  if (subject !== undefined && /^[^\s]+\.[A-Za-z0-9]{1,8}$/.test(subject)) return subject;
  const tool = (where.toolName ?? "output")
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .slice(0, 60);
  return `${tool}-${where.seq}.${extensionOf(contentType)}`;
}
