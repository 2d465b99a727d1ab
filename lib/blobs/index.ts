// The blob backends, and the way in. Being listed is being tested (contract.test.ts).
import { fail } from "../kernel/errors.ts";
import type { BlobStore } from "./blob-store.ts";
import { fileBlobs } from "./file.ts";

export type BlobBackend = {
  readonly scheme: string;
  /** Opens what `rest` names, which is what follows the scheme and its colon. */
  open(rest: string): BlobStore;
};

export const blobBackends: readonly BlobBackend[] = [{ scheme: "file", open: fileBlobs }];

/** The store that a location such as `file:/path/of/archive` names. */
export function openBlobs(location: string): BlobStore {
  const colon = location.indexOf(":");
  const scheme = location.slice(0, colon);
  const backend = blobBackends.find((known) => known.scheme === scheme);
  if (colon < 1 || backend === undefined)
    fail(
      "unsupported",
      `No blob backend for "${location}". Known: ${blobBackends.map((known) => known.scheme).join(", ")}.`,
    );
  return backend.open(location.slice(colon + 1));
}
