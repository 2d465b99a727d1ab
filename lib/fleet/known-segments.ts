// Segments that this node has read before. A session that grows comes with the segments that it had, and a family with files that did
// not change: what this archive has of them is not fetched from the bucket again. Names are those of packed bytes, and an archive packs
// its own way, so it is noted which bytes of a file a segment had. That is forgotten when the node ends: then they are fetched once more.
import { createHash } from "node:crypto";
import { scalar } from "#db/statement.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { bundledPath } from "#lib/archive/base/bundle-path.ts";
import { rawBytes } from "#lib/archive/import/raw-writer.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import { beginsWith } from "./stale-files.ts";

/** A segment of a file, and where its bytes end there; `sha256`: of all bytes up to there. */
type Segment = { readonly digest: string; readonly sizeBytes: number; readonly sha256: string };

/** Segments that are noted of one archive: 100 bytes each. */
const MOST = 50_000;

type Notes = { readonly files: Map<string, readonly Segment[]>; segments: number };
const notes = new WeakMap<Archive, Notes>();

/** The bytes of a file's segments, from this archive as far as it has them. Those that it lacks come from `fetch`, in their order. */
export async function* segmentsOf(
  archive: Archive,
  path: string,
  objects: readonly SentObject[],
  fetch: (objects: readonly SentObject[]) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const beginning = await beginningOf(archive, path, objects);
  const segments = [...beginning.segments];
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for (const bytes of beginning.bytes()) {
    hash.update(bytes);
    sizeBytes += bytes.length;
    yield bytes;
  }
  let n = segments.length;
  for await (const bytes of fetch(objects.slice(n))) {
    hash.update(bytes);
    sizeBytes += bytes.length;
    segments.push({ digest: objects[n++]!.digest, sizeBytes, sha256: hash.copy().digest("hex") });
    yield bytes;
  }
  note(archive, path, segments);
}

type Beginning = { readonly segments: readonly Segment[]; bytes(): Iterable<Uint8Array> };

const NOTHING: Beginning = { segments: [], bytes: () => [] };

/** The first segments of a file that stand in this archive as they were read. */
async function beginningOf(archive: Archive, path: string, objects: readonly SentObject[]): Promise<Beginning> {
  const noted = notes.get(archive)?.files.get(path) ?? [];
  const other = objects.findIndex(({ digest }, n) => noted[n]?.digest !== digest);
  const segments = noted.slice(0, other < 0 ? objects.length : other);
  const last = segments.at(-1);
  const source = scalar(archive.sqlite, "sources.pk", "FROM sources WHERE path = ?").get(bundledPath(path));
  // It may have been rewritten, or taken out, since.
  if (last === undefined || source === undefined || !(await beginsWith(archive, source, last))) return NOTHING;
  return { segments, bytes: () => rawBytes(archive, source, 0, last.sizeBytes) };
}

/** The newest stay. */
function note(archive: Archive, path: string, segments: readonly Segment[]): void {
  const of = notes.get(archive) ?? { files: new Map(), segments: 0 };
  notes.set(archive, of);
  const drop = (name: string): void => {
    of.segments -= of.files.get(name)?.length ?? 0;
    of.files.delete(name);
  };
  drop(path);
  of.files.set(path, segments);
  of.segments += segments.length;
  for (const [name] of of.files) {
    if (of.segments <= MOST) break;
    drop(name);
  }
}
