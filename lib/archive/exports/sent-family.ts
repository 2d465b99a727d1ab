// A session with its family as it is sent to a fleet: a bundle that is taken apart. Its files go as the blocks that the archive has
// packed already; what else it has as blobs and small segments. Outputs that stand in a file are not sent beside it: who reads the
// file has them.
import { createHash, hash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { select } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SentFamily, SentObject } from "#lib/wire/fleet-schema.ts";
import type { MaskChoice } from "#lib/wire/redaction-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { familyOf } from "../bundle/bundle-family.ts";
import type { Manifest } from "../bundle/bundle-manifest.ts";
import { maskBundle } from "../bundle/masked-bundle.ts";
import { planBundle, type BundlePart, type BundlePlan } from "../bundle/write-bundle.ts";
import { openExport } from "./open-export.ts";
import { maskerOf } from "./write-export.ts";

export type PlannedFamily = SentFamily & {
  readonly id: string;
  readonly title: string;
  readonly sessions: readonly string[];
  readonly masked: string | null;
  /** The bytes of an object that is asked for. */
  read(digest: string): Promise<Uint8Array> | AsyncIterable<Uint8Array>;
};

const pack = promisify(zstdCompress);
const unpack = promisify(zstdDecompress);
/** Blocks of a file that are unpacked at once, beside the thread that sends. */
const UNPACKED = 4;
/** A block is unpacked in one piece: in those of zlib's 16 kB it takes twice the time. */
export const WHOLE_BLOCK = { chunkSize: LIMITS.rawBlockBytes + 64 * 1024 };
// As the archive's own blocks: the same bytes have the same name wherever they were packed by the same zstd.
const PACKED = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } };

type Reads = Map<string, () => Uint8Array | AsyncIterable<Uint8Array>>;

export async function planSentFamily(archive: Archive, name: string, mask: MaskChoice): Promise<PlannedFamily> {
  const { plan, isMasked } = await planOf(archive, name, mask);
  const { manifest } = plan;
  const needed = neededOutputs(manifest);
  manifest.artifacts = manifest.artifacts.filter(({ entry }) => needed.has(entry.sha256));
  const sources = isMasked ? null : familyOf(archive, findSession(archive, name)).sources;
  const reads: Reads = new Map();
  const entries: Record<string, SentObject[]> = {};
  for (const part of plan.parts) {
    const { entry } = part;
    if (entry.name.startsWith("artifacts/")) {
      if (!needed.has(entry.sha256)) continue;
      entries[entry.name] = [{ digest: entry.sha256, bytes: entry.sizeBytes, kind: "blob" }];
      reads.set(entry.sha256, () => part.read());
      continue;
    }
    const file = sources === null ? -1 : manifest.files.findIndex((one) => one.entry.name === entry.name);
    entries[entry.name] = file < 0 ? await packed(part, reads) : await blocksOf(archive, sources![file]!, part, reads);
  }
  plan.finish?.();
  return {
    id: manifest.session,
    title: manifest.sessions.find(({ id }) => id === manifest.session)!.title,
    sessions: manifest.sessions.map(({ id }) => id),
    masked: manifest.masked?.sentence ?? null,
    manifest,
    entries,
    async *read(digest) {
      const bytes = reads.get(digest)!();
      if (bytes instanceof Uint8Array) yield bytes;
      else yield* bytes;
    },
  };
}

async function planOf(
  archive: Archive,
  name: string,
  mask: MaskChoice,
): Promise<{ plan: BundlePlan; isMasked: boolean }> {
  const plan = planBundle(archive, name);
  if (mask === "none" || mask.length === 0) return { plan, isMasked: false };
  const file = await openExport(archive, name, { format: "bundle" });
  const masker = await maskerOf(archive, name, file, { mask, accept: [], hide: [] });
  if (masker === null) return { plan, isMasked: false };
  return { plan: await maskBundle(archive, plan, masker.hook, masker), isMasked: true };
}

/** Outputs that no file of the family has: those that agents had put into files of their own, and those of logs without a file. */
function neededOutputs({ files, sessions, artifacts }: Manifest): ReadonlySet<string> {
  if (sessions.some(({ file }) => file === null)) return new Set(artifacts.map(({ entry }) => entry.sha256));
  return new Set(files.flatMap(({ outputs }) => outputs.map(({ digest }) => digest)));
}

async function blocksOf(archive: Archive, source: number, { entry }: BundlePart, reads: Reads): Promise<SentObject[]> {
  const starts = select(archive.sqlite, "raw_blocks", ["byte_start"], "WHERE source_pk = ? ORDER BY byte_start").all(
    source,
  );
  const read = select(archive.sqlite, "raw_blocks", ["zstd"], "WHERE source_pk = ? AND byte_start = ?");
  const whole = createHash("sha256");
  const objects: SentObject[] = [];
  let sizeBytes = 0;
  for (let from = 0; from < starts.length; from += UNPACKED) {
    const blocks = starts.slice(from, from + UNPACKED).map(({ byte_start: start }) => {
      const zstd = read.get(source, start)?.zstd ?? refuse();
      const digest = hash("sha256", zstd, "hex");
      // What the agent writes meanwhile is joined to the last block: of that one the bytes are kept.
      const held = start === starts.at(-1)!.byte_start ? zstd : null;
      reads.set(digest, () => {
        const now = read.get(source, start)?.zstd ?? refuse();
        return hash("sha256", now, "hex") === digest ? now : (held ?? refuse());
      });
      objects.push({ digest, bytes: zstd.length, kind: "segment" });
      return unpack(zstd, WHOLE_BLOCK);
    });
    for (const bytes of await Promise.all(blocks)) {
      whole.update(bytes);
      sizeBytes += bytes.length;
    }
  }
  Object.assign(entry, { sizeBytes, sha256: whole.digest("hex") });
  return objects;
}

const refuse = (): never =>
  fail("conflict", "The session was removed or imported again while it was sent. Send it again.");

async function packed(part: BundlePart, reads: Reads): Promise<SentObject[]> {
  const objects: SentObject[] = [];
  const whole = createHash("sha256");
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let sizeBytes = 0;
  const flush = async (): Promise<void> => {
    const bytes = await pack(Buffer.concat(held), PACKED);
    const digest = hash("sha256", bytes, "hex");
    reads.set(digest, () => bytes);
    objects.push({ digest, bytes: bytes.length, kind: "segment" });
    held = [];
    heldBytes = 0;
  };
  for await (const piece of part.read()) {
    whole.update(piece);
    sizeBytes += piece.length;
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes >= LIMITS.rawBlockBytes) await flush();
  }
  if (heldBytes > 0) await flush();
  Object.assign(part.entry, { sizeBytes, sha256: whole.digest("hex") });
  return objects;
}
