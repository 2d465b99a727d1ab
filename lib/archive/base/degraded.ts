// When the disk failed to keep what was written, nothing that is written after it can be believed: the kernel may have
// dropped the pages and report success the next time. Such an archive is read, and written no more until it is opened
// again. A full disk is no such failure: what did not fit is refused, and the next write is tried.
import type { Archive } from "./archive-type.ts";
import { isLoss } from "./is-loss.ts";
import { perArchive } from "./per-archive.ts";

const state = perArchive((): { broken?: Error } => ({}));

/** Remembers a failure after which nothing more may be acknowledged. */
export function noteFailure(archive: Archive, error: unknown): void {
  if (isLoss(error)) state(archive).broken ??= degradedError((error as { code: string }).code, error);
}

/** Refuses to write to an archive that is degraded. */
export function requireSound(archive: Archive): void {
  const { broken } = state(archive);
  if (broken !== undefined) throw broken;
}

/** Why nothing more is written, or null. */
export function degradedReason(archive: Archive): string | null {
  const error = state(archive).broken ?? archive.blobs.broken();
  return error === null || error === undefined ? null : error instanceof Error ? error.message : String(error);
}

function degradedError(code: string, cause: unknown): Error {
  return Object.assign(
    new Error(`The disk failed to write (${code}). Restart Plimsoll to write again; stored data can still be read.`, {
      cause,
    }),
    { code: code.startsWith("SQLITE_CORRUPT") ? code : "EIO" },
  );
}
