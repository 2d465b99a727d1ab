// The blob backends. Being listed is being tested (backend-contract.test.ts). An archive opens the first of them; where its
// blobs are shared with other machines, the second over the object store that it was given.
import type { BlobStore } from "./blob-store.ts";
import { fileBlobs } from "./file.ts";
import type { ObjectStore } from "./object-store.ts";
import { s3Blobs } from "./s3.ts";

export type BlobBackend =
  | { readonly scheme: "file"; open(dir: string): BlobStore }
  | { readonly scheme: "s3"; open(dir: string, objects: ObjectStore): BlobStore };

export const blobBackends: readonly BlobBackend[] = [
  { scheme: "file", open: fileBlobs },
  { scheme: "s3", open: s3Blobs },
];

/** The blobs of the archive in a folder, over an object store where one is given. */
export const openBlobs = (dir: string, objects: ObjectStore | null = null): BlobStore =>
  objects === null ? fileBlobs(dir) : s3Blobs(dir, objects);
