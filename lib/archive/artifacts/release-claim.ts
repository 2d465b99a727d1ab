// The end of a put: what it claimed in the blob store is claimed no more.
import type { Archive } from "../base/archive-type.ts";
import { write } from "../base/write.ts";
import type { Incoming } from "./stage.ts";
import { dropBlobWrite } from "./tombstone.ts";

/** Ends a put, however it went. When no row names its bytes, and no other put brings the same, they are not left behind. */
export async function releaseClaim(archive: Archive, incoming: Incoming, isNamed: boolean): Promise<void> {
  const digest = incoming.claim;
  if (digest === null) return;
  incoming.claim = null;
  if (archive.blobs.release(digest) > 0 || isNamed) return;
  const touchedAt = archive.blobs.touchedAt(digest);
  // What cannot be taken back now is an orphan, which the sweep removes when it is old enough.
  if (touchedAt !== null) await write(archive, dropBlobWrite, { digest, touchedAt }).catch(() => undefined);
}
