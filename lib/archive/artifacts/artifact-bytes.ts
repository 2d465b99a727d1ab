// Whether the bytes of an artifact are what its digest says, and what they are made of.
import { scalar } from "#db/statement.ts";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isAppError } from "#lib/kernel/errors.ts";
import { ContentScan } from "#lib/kernel/artifacts/scan.ts";
import { shapeOf, shapeText, type Shape } from "#lib/kernel/artifacts/shape.ts";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";

/** Larger ones are not digested for a page: 256 MB take some 150 ms, once per process. They are when they are read. */
const CHECKED_BYTES = 256 * 1024 * 1024;
/** Text of an artifact that `shape` looks at (bytes). */
const SHAPE_BYTES = 4 * 1024 * 1024;

/** `sound`: their digest was compared. Reading a damaged blob moves it to quarantine, where it is found the next time. */
export async function bytesState(archive: Archive, row: ArtifactDbRow): Promise<ArtifactView["bytes"]> {
  const removed = scalar(archive.sqlite, "blobs.removed_at", "SELECT removed_at FROM blobs WHERE digest = ?").get(
    row.digest,
  );
  if (removed !== null) return "removed";
  try {
    if (row.size > CHECKED_BYTES) {
      await archive.blobs.size(row.digest);
      return "unchecked";
    }
    // No byte of a blob that does not match its name is given out, not even none.
    for await (const piece of archive.blobs.read(row.digest, { start: 0, end: 0 })) void piece;
    return "sound";
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code === "conflict") return "damaged";
    return (await isInQuarantine(archive, row.digest)) ? "damaged" : "missing";
  }
}

async function isInQuarantine(archive: Archive, digest: string): Promise<boolean> {
  const names = await readdir(join(archive.dir, "quarantine")).catch(() => []);
  return names.some((name) => name.startsWith(digest));
}

/** What a text is made of: the shape that was told when it was stored, else that of its first 4 MB. */
export async function shapeOfArtifact(archive: Archive, row: ArtifactDbRow): Promise<Shape | null> {
  if (row.line_count === null) return null;
  const result =
    scalar(archive.sqlite, "blobs.shape", "SELECT shape FROM blobs WHERE digest = ?").get(row.digest) ?? null;
  if (result !== null) return JSON.parse(result) as Shape;
  if (row.size > SHAPE_BYTES) {
    const head = await readHead(archive, row, SHAPE_BYTES);
    return shapeOf(head, row.content_type, row.line_count, false);
  }
  const scan = new ContentScan();
  for await (const piece of archive.blobs.read(row.digest)) scan.add(piece);
  return scan.end().shape;
}

/** A shape as the page has it: one line, and the root keys of a JSON object with what stands behind each. */
export function shapeForPeople(shape: Shape | null): Pick<ArtifactView, "shape" | "outline"> {
  if (shape === null) return { shape: null, outline: [] };
  return { shape: shapeText(shape), outline: typeof shape === "string" ? [] : Object.entries(shape) };
}

/** The first bytes of a text, or all of it; bytes that are not UTF-8 come as U+FFFD. */
export async function readHead(archive: Archive, row: ArtifactDbRow, bytes: number): Promise<string> {
  const range = bytes >= row.size ? undefined : { start: 0, end: bytes };
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of archive.blobs.read(row.digest, range)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
