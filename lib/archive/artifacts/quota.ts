// How much may be stored: by a session, and by all that Plimsoll holds. No quota is set until a person sets one.
import { command, scalar } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { readQuota } from "../settings/retention-setting.ts";
import type { BlobInput } from "./stage.ts";

// Sums beside the tables, kept by triggers of this connection alone: they follow each savepoint and each rollback, so
// that they are exact, and cost nothing where no quota is set. Summing 100,000 rows for each put took 40 to 90 ms.
// Row 0 is the archive; a session counts each content that it can read once.
const LIVE_TWIN = (row: string): string =>
  `EXISTS (SELECT 1 FROM main.artifacts WHERE digest = ${row}.digest AND session_pk = ${row}.session_pk AND deleted_at IS NULL AND pk <> ${row}.pk)`;
const ADD = (who: string, size: string, when: string): string =>
  `INSERT INTO held_bytes SELECT ${who}, ${size} WHERE ${when} ON CONFLICT (session_pk) DO UPDATE SET bytes = bytes + excluded.bytes;`;
const SUMS = `
CREATE TEMP TABLE held_bytes (session_pk INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
INSERT INTO held_bytes SELECT session_pk, sum(size) FROM
  (SELECT DISTINCT session_pk, digest, size FROM main.artifacts WHERE deleted_at IS NULL) GROUP BY session_pk;
INSERT INTO held_bytes SELECT 0, coalesce(sum(size), 0) FROM main.blobs WHERE removed_at IS NULL;
CREATE TEMP TRIGGER held_artifact_added AFTER INSERT ON main.artifacts BEGIN
  ${ADD("NEW.session_pk", "NEW.size", `NEW.deleted_at IS NULL AND NOT ${LIVE_TWIN("NEW")}`)}
END;
CREATE TEMP TRIGGER held_artifact_ended AFTER UPDATE OF deleted_at ON main.artifacts BEGIN
  ${ADD("NEW.session_pk", "(OLD.deleted_at IS NOT NULL) * NEW.size - (NEW.deleted_at IS NOT NULL) * NEW.size", `(OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL) AND NOT ${LIVE_TWIN("NEW")}`)}
END;
CREATE TEMP TRIGGER held_artifact_removed AFTER DELETE ON main.artifacts BEGIN
  ${ADD("OLD.session_pk", "-OLD.size", `OLD.deleted_at IS NULL AND NOT ${LIVE_TWIN("OLD")}`)}
END;
CREATE TEMP TRIGGER held_blob_added AFTER INSERT ON main.blobs BEGIN
  ${ADD("0", "NEW.size", "NEW.removed_at IS NULL")}
END;
CREATE TEMP TRIGGER held_blob_changed AFTER UPDATE OF removed_at ON main.blobs BEGIN
  ${ADD("0", "(OLD.removed_at IS NOT NULL) * NEW.size - (NEW.removed_at IS NOT NULL) * NEW.size", "1")}
END;
CREATE TEMP TRIGGER held_blob_removed AFTER DELETE ON main.blobs BEGIN
  ${ADD("0", "-OLD.size", "OLD.removed_at IS NULL")}
END;
`;

const counting = new WeakSet<Archive>();

/** Begins to keep the sums, before a group of writes and outside of its transaction, once a quota is set. */
export function prepareQuota(archive: Archive): void {
  if (counting.has(archive)) return;
  const { sessionBytes, archiveBytes } = readQuota(archive);
  if (sessionBytes === null && archiveBytes === null) return;
  archive.sqlite.transaction(() => archive.sqlite.exec(SUMS))();
  counting.add(archive);
}

/** Bytes that count for a session, or for the archive (0), before `blob`, whose row is there already. */
function heldBefore(archive: Archive, owner: number, blob: Pick<BlobInput, "digest" | "sizeBytes">): number {
  const { sqlite } = archive;
  const isOwn =
    owner === 0 ||
    command(sqlite, "SELECT 1 FROM artifacts WHERE session_pk = ? AND digest = ? AND deleted_at IS NULL LIMIT 1").get(
      owner,
      blob.digest,
    ) !== undefined;
  return heldBy(archive, owner) - (isOwn ? blob.sizeBytes : 0);
}

/** Bytes that count for a session, or for the archive (0). */
export function heldBy(archive: Archive, owner: number): number {
  const { sqlite } = archive;
  if (counting.has(archive))
    return scalar(sqlite, "integer", "SELECT bytes FROM held_bytes WHERE session_pk = ?").get(owner) ?? 0;
  const sql =
    owner === 0
      ? "SELECT coalesce(sum(size), 0) FROM blobs WHERE removed_at IS NULL AND ? = 0"
      : "SELECT coalesce(sum(size), 0) FROM (SELECT DISTINCT digest, size FROM artifacts WHERE session_pk = ? AND deleted_at IS NULL)";
  return scalar(sqlite, "integer", sql).get(owner)!;
}

/** Refuses a blob that would go over a quota. Bytes that are stored already cost nothing more. */
export function chargeQuota(archive: Archive, sessionPk: number, blob: BlobInput): void {
  const quota = readQuota(archive);
  if (quota.sessionBytes !== null)
    charge("this session", heldBefore(archive, sessionPk, blob), blob.sizeBytes, quota.sessionBytes);
  if (quota.archiveBytes !== null)
    charge("the archive", heldBefore(archive, 0, blob), blob.sizeBytes, quota.archiveBytes);
}

/**
 * Refuses a stream before a byte of it is read, when its length is known and there is no room for it. Bytes that are stored
 * already cost nothing, but only their digest tells that: who sends such a stream again names its digest.
 */
export function requireRoom(
  archive: Archive,
  sessionId: string,
  sizeBytes: number | null,
  digest: string | null = null,
): void {
  if (sizeBytes === null || sizeBytes === 0) return;
  const quota = readQuota(archive);
  if (quota.sessionBytes === null && quota.archiveBytes === null) return;
  const { sqlite } = archive;
  const pk = scalar(sqlite, "sessions.pk", "FROM sessions WHERE id = ?").get(sessionId);
  const blob = { digest: digest ?? "", sizeBytes };
  const isStored = command(sqlite, "SELECT 1 FROM blobs WHERE digest = ? AND removed_at IS NULL").get(blob.digest);
  if (quota.sessionBytes !== null && pk !== undefined)
    charge("this session", heldBefore(archive, pk, blob), sizeBytes, quota.sessionBytes);
  if (quota.archiveBytes !== null && isStored === undefined)
    charge("the archive", heldBy(archive, 0), sizeBytes, quota.archiveBytes);
}

function charge(whose: string, held: number, more: number, most: number): void {
  if (held + more <= most) return;
  fail(
    "too_large",
    `${whose === "this session" ? "This session" : "The archive"} holds ${held} bytes; ${more} more exceed its quota of ${most}. Delete artifacts, or raise the quota in the settings.`,
  );
}
