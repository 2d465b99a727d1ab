// A family as the file that any Plimsoll imports: its entries come out of the bucket, each object checked against its name.
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { entriesOf } from "#lib/archive/bundle/bundle-manifest.ts";
import { bundleBytes } from "#lib/archive/bundle/write-bundle.ts";
import { WHOLE_BLOCK } from "#lib/archive/exports/sent-family.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import type { Family } from "./commits.ts";
import type { Fleet } from "./open-fleet.ts";
import { segmentsOf } from "./known-segments.ts";
import { objectName } from "./stored-objects.ts";

const unpack = promisify(zstdDecompress);

/** Objects that are fetched ahead of the one that is read. */
const AHEAD = 4;

/** Runs with the bundle's path; the file is gone afterwards. What `archive` has of it is not fetched. */
export async function withBundle<T>(
  fleet: Fleet,
  archive: Archive,
  family: Family,
  dir: string,
  run: (path: string) => Promise<T>,
): Promise<T> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, `${family.manifest.session}-${randomBytes(6).toString("hex")}.plimsoll.zip`);
  const paths = new Map(family.manifest.files.map((file) => [file.entry.name, file.path]));
  const parts = entriesOf(family.manifest).map((entry) => ({
    entry,
    read: () => {
      const objects = family.entries[entry.name]!;
      const file = paths.get(entry.name);
      const fetch = (some: readonly SentObject[]): AsyncGenerator<Uint8Array> => entryBytes(fleet, some);
      return file === undefined || objects.some(({ kind }) => kind === "blob")
        ? fetch(objects)
        : segmentsOf(archive, file, objects, fetch);
    },
  }));
  try {
    const pieces = bundleBytes({ manifest: family.manifest, parts, name: path });
    await pipeline(Readable.from(pieces, { objectMode: false }), createWriteStream(path, { mode: 0o600, flags: "wx" }));
    return await run(path);
  } finally {
    await rm(path, { force: true });
  }
}

async function* entryBytes(fleet: Fleet, objects: readonly SentObject[]): AsyncGenerator<Uint8Array> {
  const begun: Promise<Uint8Array>[] = [];
  for (const [n, object] of objects.entries()) {
    if (object.kind === "blob") {
      yield* fleet.objects.read(objectName(object));
      continue;
    }
    for (let next = begun.length; next < Math.min(objects.length, n + AHEAD); next++) {
      const segment = segmentBytes(fleet, objects[next]!);
      segment.catch(() => undefined);
      begun.push(segment);
    }
    yield await begun[n]!;
    begun[n] = Promise.resolve(new Uint8Array());
  }
}

/** A segment is some MB at most; what unpacks to more is not ours. */
const SEGMENT_BYTES = 128 * 1024 * 1024;

async function segmentBytes(fleet: Fleet, object: SentObject): Promise<Uint8Array> {
  const bytes = await fleet.objects.get(objectName(object));
  if (createHash("sha256").update(bytes).digest("hex") !== object.digest)
    fail(
      "conflict",
      `The segment ${object.digest.slice(0, 16)} in the bucket is damaged. Run plimsoll fleet check --content --repair.`,
    );
  return unpack(bytes, { ...WHOLE_BLOCK, maxOutputLength: SEGMENT_BYTES });
}
