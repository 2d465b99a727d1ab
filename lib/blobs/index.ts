// The blob backends. Being listed is being tested (backend-contract.test.ts), and each archive opens the first of them.
import type { BlobStore } from "./blob-store.ts";
import { fileBlobs } from "./file.ts";

export const blobBackends: readonly { readonly scheme: string; open(dir: string): BlobStore }[] = [
  { scheme: "file", open: fileBlobs },
];

/** The blobs of the archive in a folder. */
export const openBlobs = (dir: string): BlobStore => blobBackends[0]!.open(dir);
