// When the disk failed to keep what was written, nothing that is written after it can be believed: the kernel may have
// dropped the pages and report success the next time. Such an archive is read, and written no more until it is opened
// again. A full disk is no such failure: what did not fit is refused, and the next write is tried.
import type { Archive } from "./archive-type.ts";
import { isLoss } from "./is-loss.ts";

const broken = new WeakMap<Archive, Error>();

/** Remembers a failure after which nothing more may be acknowledged. */
export function noteFailure(archive: Archive, error: unknown): void {
  if (isLoss(error) && !broken.has(archive))
    broken.set(archive, degradedError((error as { code: string }).code, error));
}

/** Refuses to write to an archive that is degraded. */
export function requireSound(archive: Archive): void {
  const error = broken.get(archive);
  if (error !== undefined) throw error;
}

/** Why nothing more is written, or null. */
export function degradedReason(archive: Archive): string | null {
  const error = broken.get(archive) ?? archive.blobs.broken();
  return error === null || error === undefined ? null : error instanceof Error ? error.message : String(error);
}

function degradedError(code: string, cause: unknown): Error {
  return Object.assign(
    new Error(
      `The disk failed to keep what was written (${code}). Nothing more is stored until Plimsoll is started again; what was stored before can be read.`,
      { cause },
    ),
    { code: code.startsWith("SQLITE_CORRUPT") ? code : "EIO" },
  );
}
