// The bytes that an exported event brings along: whole outputs, and images beside their event.
import { scalar, select } from "#db/statement.ts";
import type { EventBody, ImagePart } from "#lib/kernel/event.ts";
import type { Archive } from "../base/archive-type.ts";

/** Images by their position among the attachments; pointer and size are the importing archive's to give. */
export function withoutPointers(body: EventBody, images: readonly ImagePart[] | undefined): EventBody {
  if (images === undefined) return body;
  const bare = images.map(({ mediaType }, attachment) => ({ mediaType, attachment }) as ImagePart);
  return { ...body, images: bare } as EventBody;
}

export async function attachmentsOf(archive: Archive, images: readonly ImagePart[]) {
  const attachments: { mediaType: string; base64: string }[] = [];
  for (const { mediaType, artifact } of images) {
    const digest = artifact === null ? undefined : digestOfPointer(archive, artifact);
    attachments.push({
      mediaType,
      base64: digest === undefined ? "" : (await bytesOf(archive, digest)).toString("base64"),
    });
  }
  return attachments;
}

/** The bytes behind a pointer; null when they are gone, or more than `most`. */
export async function bytesOfPointer(archive: Archive, pointer: string, most: number): Promise<Buffer | null> {
  const row = select(archive.sqlite, "artifacts", ["digest", "size"], "WHERE pointer = ? AND deleted_at IS NULL").get(
    pointer,
  );
  return row === undefined || row.size > most ? null : bytesOf(archive, row.digest);
}

const digestOfPointer = (archive: Archive, pointer: string): string | undefined =>
  scalar(archive.sqlite, "artifacts.digest", "FROM artifacts WHERE pointer = ? AND deleted_at IS NULL").get(pointer);

/** Fails where the stored bytes are damaged or gone. */
export async function bytesOf(archive: Archive, digest: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive.blobs.read(digest)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
