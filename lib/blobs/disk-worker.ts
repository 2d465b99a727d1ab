// A thread that writes small blobs for puts. Waiting for the disk here costs the thread that asked nothing; the same calls
// through the pool of libuv cost it six turns of its loop a blob.
import { parentPort } from "node:worker_threads";
import { writeWhole, type WholeBlob } from "./write-whole.ts";

export type DiskWish = WholeBlob & { readonly id: number };

export type DiskAnswer = {
  readonly id: number;
  readonly error: { readonly code: string | null; readonly message: string } | null;
};

parentPort!.on("message", ({ id, ...blob }: DiskWish) => {
  try {
    writeWhole(blob);
    parentPort!.postMessage({ id, error: null } satisfies DiskAnswer);
  } catch (error) {
    const { code = null, message } = error as NodeJS.ErrnoException;
    parentPort!.postMessage({ id, error: { code, message } } satisfies DiskAnswer);
  }
});
