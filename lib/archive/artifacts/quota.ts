// How much may be stored: by a session, and by all that Plimsoll holds. No quota is set until a person sets one.
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../archive.ts";
import { plucked } from "../import/prepared.ts";
import { readSetting } from "../settings.ts";
import type { BlobWish } from "./stage.ts";

export const QUOTA_SETTING = "artifacts.quota";

export type Quota = { readonly sessionBytes: number | null; readonly archiveBytes: number | null };

export const readQuota = (archive: Archive): Quota => ({
  sessionBytes: null,
  archiveBytes: null,
  ...(readSetting(archive, QUOTA_SETTING) as Partial<Quota> | null),
});

/** Refuses a blob that would go over a quota. Bytes that are stored already cost nothing more. */
export function chargeQuota(archive: Archive, sessionPk: number, blob: BlobWish): void {
  const quota = readQuota(archive);
  const { sqlite } = archive;
  if (quota.sessionBytes !== null) {
    const held = plucked(
      sqlite,
      "SELECT coalesce(sum(size), 0) FROM (SELECT DISTINCT digest, size FROM artifacts WHERE session_pk = ? AND deleted_at IS NULL AND digest <> ?)",
    ).get(sessionPk, blob.digest) as number;
    if (held + blob.sizeBytes > quota.sessionBytes) refuse("this session", held, blob.sizeBytes, quota.sessionBytes);
  }
  if (quota.archiveBytes !== null) {
    const held = plucked(
      sqlite,
      "SELECT coalesce(sum(size), 0) FROM blobs WHERE removed_at IS NULL AND digest <> ?",
    ).get(blob.digest) as number;
    if (held + blob.sizeBytes > quota.archiveBytes) refuse("the archive", held, blob.sizeBytes, quota.archiveBytes);
  }
}

function refuse(whose: string, held: number, more: number, most: number): never {
  fail(
    "too_large",
    `${whose === "this session" ? "This session" : "The archive"} holds ${held} bytes; ${more} more would pass its quota of ${most}. Delete artifacts, or raise the quota in the settings.`,
  );
}
