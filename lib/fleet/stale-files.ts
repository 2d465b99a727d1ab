// Files of a family that a node has in another state. An import keeps what is here where it is not the beginning of what comes: the
// user's own file counts more than a copy. A node's archive is a cache: the newest commit counts, also where a file was rewritten.
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { scalar } from "#db/statement.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { rawBytes } from "#lib/archive/import/raw-writer.ts";
import type { Family } from "./commits.ts";

type Entry = { readonly sizeBytes: number; readonly sha256: string };

/** The sessions of such files, by the file that each is read from now; its earlier versions are looked at with it. */
export async function staleSessions(archive: Archive, { manifest }: Family): Promise<string[]> {
  const sourceOf = scalar(archive.sqlite, "sessions.source_pk", "FROM sessions WHERE id = ?");
  const countVersions = scalar(
    archive.sqlite,
    "integer",
    "SELECT count(*) FROM sources f JOIN sessions s ON s.source_pk = f.pk WHERE f.earlier_of = ?",
  );
  const isSame = async (id: string, entry: Entry): Promise<boolean> => {
    const source = sourceOf.get(id);
    if (typeof source !== "number" || sizeOf(archive, source) !== entry.sizeBytes) return false;
    return beginsWith(archive, source, entry);
  };
  const stale: string[] = [];
  for (const [n, { earlier, entry }] of manifest.files.entries()) {
    const id = manifest.sessions.find(({ file, lane }) => file === n && lane === "")?.id;
    const source = id === undefined ? undefined : sourceOf.get(id);
    if (earlier !== null || id === undefined || typeof source !== "number") continue;
    const versions = manifest.sessions.filter(({ file }) => file !== null && manifest.files[file]!.earlierOf === n);
    const wanted = [{ id, entry }, ...versions.map((one) => ({ id: one.id, entry: manifest.files[one.file!]!.entry }))];
    const isCurrent = async (): Promise<boolean> =>
      !(await Promise.all(wanted.map((one) => isSame(one.id, one.entry)))).includes(false);
    if (countVersions.get(source) !== versions.length || !(await isCurrent())) stale.push(id);
  }
  return stale;
}

const sizeOf = (archive: Archive, source: number): number =>
  scalar(archive.sqlite, "integer?", "SELECT max(byte_end) FROM raw_blocks WHERE source_pk = ?").get(source) ?? 0;

/** Whether the first bytes of a source are these. */
export async function beginsWith(archive: Archive, source: number, { sizeBytes, sha256 }: Entry): Promise<boolean> {
  if (sizeOf(archive, source) < sizeBytes) return false;
  const hash = createHash("sha256");
  for (const piece of rawBytes(archive, source, 0, sizeBytes)) {
    hash.update(piece);
    // Whoever asks this node meanwhile is answered.
    await setImmediate();
  }
  return hash.digest("hex") === sha256;
}
