// The shape of an artifact, path by path. Read once for each digest: what a digest names never changes.
import { fail } from "#lib/kernel/errors.ts";
import type { ShapeKind } from "#lib/kernel/shape-tree/read-shape.ts";
import type { ShapeAnswer } from "#lib/wire/shape-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";
import { beginsAsJson, checkedPath, holdsLines } from "./query-artifact.ts";
import { requireLive, resolveArtifact } from "./resolve.ts";

/** An answer of 2,000 paths is some 1 MB. */
const HELD_SHAPES = 16;
const held = perArchive(() => new Map<string, Promise<ShapeAnswer>>());

export async function shapeOfArtifact(archive: Archive, ref: string): Promise<ShapeAnswer> {
  const row = requireLive(archive, resolveArtifact(archive, ref), ref);
  const kind = await kindOf(archive, row);
  if (kind === null)
    return fail(
      "unsupported",
      `${row.name ?? row.pointer} has no shape. It is neither JSON nor a table (content type ${row.content_type}).`,
    );
  const shapes = held(archive);
  const name = `${kind} ${row.digest}`;
  const shape = shapes.get(name) ?? readShape(archive, row, kind);
  shapes.delete(name);
  shapes.set(name, shape);
  const [oldest] = shapes.keys();
  if (shapes.size > HELD_SHAPES) shapes.delete(oldest!);
  // What failed, or was stopped by the clock, may go well the next time.
  const forget = (): void => void (shapes.get(name) === shape && shapes.delete(name));
  shape.then(({ stopped }) => stopped === "deadline" && forget(), forget);
  return shape;
}

async function readShape(archive: Archive, row: ArtifactDbRow, kind: ShapeKind): Promise<ShapeAnswer> {
  const result = await archive.jobs.shape({ path: await checkedPath(archive, row.digest), kind });
  return { ...result, sizeBytes: row.size };
}

const TABLES = /^text\/(csv|tab-separated-values)\b/i;

/** What its content type says, or a text that begins as JSON does. */
async function kindOf(archive: Archive, row: ArtifactDbRow): Promise<ShapeKind | null> {
  if (row.line_count === null) return null;
  if (holdsLines(row)) return "lines";
  if (/json/i.test(row.content_type)) return "json";
  if (TABLES.test(row.content_type)) return "table";
  return (await beginsAsJson(archive, row.digest)) ? "json" : null;
}
