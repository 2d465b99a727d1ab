// The blob backends. Being listed is being tested (contract.test.ts).
import type { BlobStore } from "./blob-store.ts";
import { fileBlobs } from "./file.ts";

export const blobBackends: readonly { readonly scheme: string; open(dir: string): BlobStore }[] = [
  { scheme: "file", open: fileBlobs },
];
