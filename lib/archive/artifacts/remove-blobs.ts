// Bytes that nothing names leave the disk. Which they are is asked of committed rows alone, while no batch is open and
// nobody else writes: a blob is never removed for a delete that may still be taken back.
import { command, scalar } from "#db/statement.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { foldRegistry } from "./registry-fold.ts";
import { freeing } from "../base/make-room.ts";
import { registryIds } from "../base/registry-ids.ts";

/** Blobs that are looked at before other writers have their turn. */
const CHUNK = 200;

export type Removed = { blobs: number; orphans: number; bytes: number; spared: number; guarded: number };

export type RemoveInput = {
  readonly dryRun: boolean;
  /** Younger bytes are left alone: somebody may be about to name them (milliseconds). */
  readonly graceMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number) => void) | undefined;
};

const DEAD = `SELECT digest FROM blobs b WHERE removed_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.digest = b.digest AND a.deleted_at IS NULL)`;

/** Blobs that the rows say nothing names any more. */
export async function removeDead(archive: Archive, input: RemoveInput): Promise<Removed> {
  const sum = nothing();
  const dead = scalar(archive.sqlite, "blobs.digest", DEAD).all();
  // Registries are read when there is something to remove: most sweeps find bytes of the last hours alone.
  const guarded = dead.some((digest) => !isYoung(archive, digest, input))
    ? await digestsOfLostRows(archive)
    : NO_DIGESTS;
  await inChunks(archive, dead, input, (digest) => {
    if (guarded.has(digest)) sum.guarded++;
    else removeOne(archive, digest, input, sum, "blobs");
  });
  return sum;
}

const NO_DIGESTS: ReadonlySet<string> = new Set();

/** The time of a file is the system's, whatever clock the archive was given. */
function isYoung({ blobs }: Archive, digest: string, { graceMs = LIMITS.gcGraceMs }: RemoveInput): boolean {
  const touchedAt = blobs.touchedAt(digest);
  return touchedAt !== null && Date.now() - touchedAt < graceMs;
}

/** Blobs that no row ever named, or that came back after they were removed: each file of the store is looked at. */
export async function removeOrphans(archive: Archive, input: RemoveInput): Promise<Removed> {
  const sum = nothing();
  const known = command(archive.sqlite, "SELECT 1 FROM blobs WHERE digest = ? AND removed_at IS NULL");
  let guarded: ReadonlySet<string> | null = null;
  let found: string[] = [];
  const settle = async (): Promise<void> => {
    if (found.length === 0) return;
    guarded ??= await digestsOfLostRows(archive);
    const named = guarded;
    await inChunks(archive, found, input, (digest) => {
      if (named.has(digest)) sum.guarded++;
      // A row may have come since.
      else if (known.get(digest) === undefined) removeOne(archive, digest, input, sum, "orphans");
    });
    found = [];
  };
  for await (const digest of archive.blobs.list()) {
    if (input.signal?.aborted) break;
    if (known.get(digest) === undefined) found.push(digest);
    if (found.length >= CHUNK) await settle();
  }
  await settle();
  return sum;
}

/**
 * What registries name and the database knows nothing of: its rows were lost, or it was, and the bytes wait for a rebuild.
 * Of imported sessions that it knows such lines are of a log that was replaced since.
 */
async function digestsOfLostRows(archive: Archive): Promise<Set<string>> {
  const { sqlite } = archive;
  const isImported = command(sqlite, "SELECT 1 FROM sessions WHERE id = ? AND source_pk IS NOT NULL");
  const isRow = command(
    sqlite,
    "SELECT 1 FROM artifacts WHERE pointer = @pointer UNION ALL SELECT 1 FROM deleted_pointers WHERE pointer = @pointer",
  );
  const digests = new Set<string>();
  for (const id of registryIds(archive)) {
    if (isImported.get(id) !== undefined) continue;
    // A line that tells of an end stands behind the one that it ends.
    const { artifacts } = await foldRegistry(archive, id);
    for (const { pointer, digest, deletedAt } of artifacts.values())
      if ((deletedAt ?? null) === null && isRow.get({ pointer }) === undefined) digests.add(digest);
  }
  return digests;
}

function removeOne(
  archive: Archive,
  digest: string,
  input: RemoveInput,
  sum: Removed,
  kind: "blobs" | "orphans",
): void {
  const { sqlite, blobs } = archive;
  const isLive = command(sqlite, "SELECT 1 FROM artifacts WHERE digest = ? AND deleted_at IS NULL LIMIT 1");
  if (isLive.get(digest) !== undefined) return;
  if (isYoung(archive, digest, input)) {
    sum.spared++;
    return;
  }
  const isThere = blobs.touchedAt(digest) !== null;
  if (isThere) {
    sum[kind]++;
    sum.bytes += blobs.sizeNow(digest);
  }
  if (input.dryRun) return;
  if (isThere) blobs.removeNow(digest);
  command(sqlite, "DELETE FROM blob_lines WHERE digest = ?").run(digest);
  // A tombstone keeps the row that it refers to; its shape is made of keys of what was deleted.
  command(
    sqlite,
    "UPDATE blobs SET removed_at = ?, shape = NULL, chars = NULL WHERE digest = ? AND removed_at IS NULL",
  ).run(archive.host.now(), digest);
  command(
    sqlite,
    "DELETE FROM blobs WHERE digest = @digest AND NOT EXISTS (SELECT 1 FROM artifacts WHERE digest = @digest)",
  ).run({ digest });
}

async function inChunks(
  archive: Archive,
  digests: readonly string[],
  { signal, onProgress }: RemoveInput,
  one: (digest: string) => void,
): Promise<void> {
  for (let at = 0; at < digests.length; at += CHUNK) {
    if (signal?.aborted) break;
    await archive.turn.take();
    try {
      const remove = archive.sqlite.transaction(() => {
        for (const digest of digests.slice(at, at + CHUNK)) one(digest);
      });
      freeing(archive, () => remove());
    } finally {
      archive.turn.give();
    }
    onProgress?.(Math.min(digests.length, at + CHUNK));
    await new Promise((resume) => setImmediate(resume));
  }
}

const nothing = (): Removed => ({ blobs: 0, orphans: 0, bytes: 0, spared: 0, guarded: 0 });
