// Blobs in an object store that many machines share, with files of this machine in front: what is staged is a file first,
// and flush() and sync() wait until the bucket has it too. What is not here is fetched whole, checked and kept.
import { AppError, isAppError } from "#lib/kernel/errors.ts";
import { createHash } from "node:crypto";
import type { BlobStore } from "./blob-store.ts";
import { checkedDigest, isDigest } from "./blob-store.ts";
import { fileBlobs } from "./file.ts";
import { forEach } from "./for-each.ts";
import type { ObjectStore } from "./object-store.ts";

export const BLOBS = "blobs/";
export const blobName = (digest: string): string => `${BLOBS}${digest.slice(0, 2)}/${digest}`;

export function s3Blobs(dir: string, objects: ObjectStore): BlobStore {
  const files = fileBlobs(dir);
  /** What is staged or put here, and is not known to be in the bucket. */
  const waiting = new Set<string>();
  /** What is removed here and may still be in the bucket. */
  const leaving = new Set<string>();
  const fetching = new Map<string, Promise<void>>();

  async function upload(digests: Iterable<string>): Promise<void> {
    await forEach([...digests], async (digest) => {
      // Discarded, or removed meanwhile.
      if (!(await files.has(digest))) return void waiting.delete(digest);
      await objects.putStream(blobName(digest), files.read(digest));
      waiting.delete(digest);
    });
  }

  async function settleRemovals(): Promise<void> {
    await forEach([...leaving], async (digest) => {
      if (!(await files.has(digest))) await objects.remove(blobName(digest));
      leaving.delete(digest);
    });
  }

  /** Brings a blob here that is in the bucket alone. */
  async function fetchBlob(digest: string): Promise<void> {
    if (leaving.has(digest) || (await files.has(digest))) return;
    const running = fetching.get(digest) ?? bring(digest).finally(() => fetching.delete(digest));
    fetching.set(digest, running);
    await running;
  }

  async function bring(digest: string): Promise<void> {
    try {
      await files.stageStream(objects.read(blobName(digest)), { expect: digest, claim: true });
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (error.code === "not_found") return;
      if (error.code !== "invalid") throw error;
      const text = `The bytes of ${digest.slice(0, 16)} in the bucket are damaged. Store the same content again after plimsoll fleet check.`;
      throw new AppError("conflict", text, { cause: error });
    }
    try {
      await files.flush(digest);
    } finally {
      files.release(digest);
    }
  }

  const remoteSize = async (digest: string): Promise<number | null> =>
    leaving.has(digest) ? null : ((await objects.head(blobName(digest)))?.size ?? null);

  return {
    ...files,
    scheme: "s3",
    stage(bytes, options) {
      const digest = files.stage(bytes, options);
      leaving.delete(digest);
      waiting.add(digest);
      return digest;
    },
    async stageStream(chunks, options) {
      const staged = await files.stageStream(chunks, options);
      leaving.delete(staged.digest);
      waiting.add(staged.digest);
      return staged;
    },
    async flush(digest) {
      const due = [...waiting];
      await files.flush(digest);
      await settleRemovals();
      await upload(due);
    },
    putNow(digest, bytes) {
      const isNew = files.putNow(digest, bytes);
      leaving.delete(digest);
      if (isNew) waiting.add(digest);
      return isNew;
    },
    putAnew(digest, bytes) {
      files.putAnew(digest, bytes);
      leaving.delete(digest);
      waiting.add(digest);
    },
    async sync(digests) {
      await files.sync(digests);
      await settleRemovals();
      await upload(digests.filter((digest) => waiting.has(digest)));
    },
    removeNow(digest) {
      files.removeNow(digest);
      waiting.delete(digest);
      leaving.add(digest);
    },
    async size(digest) {
      if (!(await files.has(digest))) await fetchBlob(digest);
      return files.size(digest);
    },
    async has(digest) {
      return (await files.has(digest)) || (await remoteSize(checkedDigest(digest))) !== null;
    },
    async *read(digest, range) {
      if (!(await files.has(digest))) await fetchBlob(digest);
      yield* files.read(digest, range);
    },
    async verify(digest) {
      const here = await files.verify(digest);
      if (here !== "missing") return here;
      if ((await remoteSize(digest)) === null) return "missing";
      const hash = createHash("sha256");
      for await (const piece of objects.read(blobName(digest))) hash.update(piece);
      return hash.digest("hex") === digest ? "ok" : "corrupt";
    },
    async *list() {
      const here: string[] = [];
      for await (const digest of files.list()) here.push(digest);
      const there = new Set(here);
      for await (const { name } of objects.list(BLOBS)) {
        const digest = name.slice(name.lastIndexOf("/") + 1);
        if (isDigest(digest) && !leaving.has(digest)) there.add(digest);
      }
      yield* [...there].toSorted();
    },
    async remove(digest) {
      await files.remove(digest);
      waiting.delete(digest);
      await objects.remove(blobName(digest));
    },
  };
}
