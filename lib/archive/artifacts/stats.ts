// How much is stored, by what, and how much of it is the same bytes again. One pass over the artifacts' rows and one over
// the blobs', kept until something is written: 100,000 rows are read in some 60 ms.
import type { ArchiveStats } from "#lib/wire/retention.ts";
import type { Archive } from "../archive.ts";
import { plucked } from "../import/prepared.ts";
import { degradedReason } from "../degraded.ts";

/** Shares that are listed of each kind, the largest first. */
const LISTED = 20;

type Share = { value: string; artifacts: number; bytes: number };
type Sums = Omit<ArchiveStats, "quarantine" | "degraded">;

const memory = new WeakMap<Archive, { stamp: string; sums: Sums }>();

export async function readStats(archive: Archive): Promise<ArchiveStats> {
  return { ...sumsOf(archive), quarantine: await archive.blobs.damaged(), degraded: degradedReason(archive) };
}

function sumsOf(archive: Archive): Sums {
  const stamp = stampOf(archive);
  const known = memory.get(archive);
  if (known?.stamp === stamp) return known.sums;
  const sums = count(archive);
  memory.set(archive, { stamp, sums });
  return sums;
}

/** Moves on with each commit, of this connection or another; and with the minute, since time ends artifacts too. */
const stampOf = (archive: Archive): string =>
  [
    archive.sqlite.pragma("data_version", { simple: true }),
    plucked(archive.sqlite, "SELECT total_changes()").get(),
    Math.floor(archive.host.now() / 60_000),
  ].join(" ");

function count(archive: Archive): Sums {
  const { sqlite } = archive;
  const now = archive.host.now();
  type Group = { session_pk: number; tool: string; type: string; why: string | null; artifacts: number; bytes: number };
  const groups = sqlite
    .prepare(
      `SELECT session_pk, coalesce(tool_name, '') AS tool, content_type AS type,
         CASE WHEN deleted_at IS NOT NULL THEN deleted_why WHEN expires_at <= ? THEN 'expired' END AS why,
         count(*) AS artifacts, sum(size) AS bytes FROM artifacts GROUP BY 1, 2, 3, 4`,
    )
    .all(now) as Group[];
  const live = groups.filter(({ why }) => why === null);
  const blobs = sqlite
    .prepare(
      `SELECT count(*) AS blobs, coalesce(sum(size), 0) AS bytes,
         coalesce(sum(dead), 0) AS dead, coalesce(sum(dead * size), 0) AS deadBytes FROM
           (SELECT size, NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.digest = b.digest AND a.deleted_at IS NULL) AS dead
              FROM blobs b WHERE removed_at IS NULL)`,
    )
    .get() as { blobs: number; bytes: number; dead: number; deadBytes: number };
  const logicalBytes = total(live);
  const gone = (why: string): number =>
    groups.filter((group) => group.why === why).reduce((sum, { artifacts }) => sum + artifacts, 0);
  const session = sqlite.prepare("SELECT id, title FROM sessions WHERE pk = ?");
  return {
    artifacts: live.reduce((sum, { artifacts }) => sum + artifacts, 0),
    blobs: blobs.blobs - blobs.dead,
    physicalBytes: blobs.bytes,
    logicalBytes,
    savedBytes: Math.max(0, logicalBytes - (blobs.bytes - blobs.deadBytes)),
    waiting: { blobs: blobs.dead, bytes: blobs.deadBytes },
    tombstones: { deleted: gone("deleted"), expired: gone("expired"), swept: gone("swept") },
    byTool: sharesBy(live, ({ tool }) => tool),
    byType: sharesBy(live, ({ type }) => type),
    bySession: sharesBy(live, ({ session_pk }) => String(session_pk)).map((share) => {
      const { id, title } = session.get(Number(share.value)) as { id: string; title: string };
      return { ...share, value: id, title };
    }),
  };
}

const total = (groups: readonly { bytes: number }[]): number => groups.reduce((sum, { bytes }) => sum + bytes, 0);

function sharesBy<T extends { artifacts: number; bytes: number }>(
  groups: readonly T[],
  keyOf: (group: T) => string,
): Share[] {
  const shares = new Map<string, Share>();
  for (const group of groups) {
    const value = keyOf(group);
    const share = shares.get(value) ?? { value, artifacts: 0, bytes: 0 };
    share.artifacts += group.artifacts;
    share.bytes += group.bytes;
    shares.set(value, share);
  }
  return [...shares.values()].toSorted((a, b) => b.bytes - a.bytes).slice(0, LISTED);
}
