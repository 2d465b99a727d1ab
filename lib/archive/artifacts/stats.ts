// How much is stored, by what, and how much of it is the same bytes again. Kept until something is written; 100,000 rows
// are counted in 60 to 90 ms.
import { setTimeout } from "node:timers/promises";
import { query, scalar, select, type Columns, type RowOf } from "#db/statement.ts";
import type { ArchiveStats } from "#lib/wire/retention-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { databaseState } from "../base/database-state.ts";
import { perArchive } from "../base/per-archive.ts";
import { degradedReason } from "../base/degraded.ts";
import { clockHold } from "./clock-hold.ts";

/** Shares that are listed of each kind, the largest first. */
const LISTED = 20;

type Sums = Omit<ArchiveStats, "quarantine" | "degraded" | "held">;

type Known = { readonly stamp: string; readonly sums: Sums; readonly at: number; readonly ms: number };
const memory = perArchive((): { known?: Known; counting?: Promise<Sums> } => ({}));

/** Counting many takes at most one part in so many of the time, while an import commits several times a second. */
const REST = 20;
const LONGEST_REST_MS = 5000;
/** Fewer are counted anew each time: 20,000 take some 15 ms. Not the time decides, which is long for a few on a busy machine. */
const FEW = 20_000;

export async function readStats(archive: Archive): Promise<ArchiveStats> {
  return {
    ...(await sumsOf(archive)),
    quarantine: await archive.blobs.damaged(),
    degraded: degradedReason(archive),
    held: await clockHold(archive, { save: false }),
  };
}

/** Never older than the question: nobody asks again when the last commit of an import was missed. */
async function sumsOf(archive: Archive): Promise<Sums> {
  const kept = memory(archive);
  const { known } = kept;
  if (known === undefined || known.sums.artifacts < FEW || known.stamp === stampOf(archive)) return countNow(archive);
  const rest = Math.min(LONGEST_REST_MS, known.at + known.ms * REST - performance.now());
  if (rest <= 0) return countNow(archive);
  kept.counting ??= setTimeout(rest, undefined, { ref: false }).then(() => {
    delete kept.counting;
    return countNow(archive);
  });
  return kept.counting;
}

function countNow(archive: Archive): Sums {
  const stamp = stampOf(archive);
  const { known } = memory(archive);
  if (known?.stamp === stamp) return known.sums;
  const at = performance.now();
  const sums = count(archive);
  memory(archive).known = { stamp, sums, at, ms: performance.now() - at };
  return sums;
}

/** Moves on with each commit, of this connection or another; and with the minute, since time ends artifacts too. */
const stampOf = (archive: Archive): string => `${databaseState(archive)} ${Math.floor(archive.host.now() / 60_000)}`;

function count(archive: Archive): Sums {
  const { sqlite } = archive;
  const now = archive.host.now();
  const live = "FROM artifacts WHERE deleted_at IS NULL AND (expires_at IS NULL OR expires_at > ?)";
  // Three passes with one small key each: one pass with all keys sorts 100,000 rows and takes longer than all three. The
  // plus keeps a pass from following an index, row by row.
  const shares = <const Value extends "integer" | "text" | "artifacts.content_type">(kind: Value, key: string) =>
    query(
      sqlite,
      { value: kind, artifacts: "integer", bytes: "integer" },
      `SELECT ${key} AS value, count(*) AS artifacts, sum(size) AS bytes ${live} GROUP BY 1 ORDER BY bytes DESC`,
    ).all(now);
  const bySession = shares("integer", "+session_pk");
  const gone = query(
    sqlite,
    { why: "artifacts.deleted_why!", artifacts: "integer" },
    "SELECT deleted_why AS why, count(*) AS artifacts FROM artifacts WHERE deleted_at IS NOT NULL GROUP BY 1",
  ).all();
  const expired = scalar(
    sqlite,
    "integer",
    "SELECT count(*) FROM artifacts WHERE expires_at IS NOT NULL AND expires_at <= ? AND deleted_at IS NULL",
  ).get(now)!;
  const all = query(
    sqlite,
    PILE_COLUMNS,
    "SELECT count(*) AS blobs, coalesce(sum(size), 0) AS bytes FROM blobs WHERE removed_at IS NULL",
  ).get()!;
  const waiting = waitingOf(archive, now);
  const sum = (key: "artifacts" | "bytes"): number => bySession.reduce((total, share) => total + share[key], 0);
  const ended = (why: string): number => gone.find((group) => group.why === why)?.artifacts ?? 0;
  const session = select(sqlite, "sessions", ["id", "title"], "WHERE pk = ?");
  return {
    artifacts: sum("artifacts"),
    blobs: all.blobs - waiting.blobs,
    physicalBytes: all.bytes,
    logicalBytes: sum("bytes"),
    savedBytes: Math.max(0, sum("bytes") - (all.bytes - waiting.bytes)),
    waiting,
    tombstones: { deleted: ended("deleted"), expired: ended("expired") + expired, swept: ended("swept") },
    byTool: shares("text", "coalesce(tool_name, '')").slice(0, LISTED),
    byType: shares("artifacts.content_type", "content_type").slice(0, LISTED),
    bySession: bySession.slice(0, LISTED).map((share) => {
      const { id, title } = session.get(share.value)!;
      return { ...share, value: id, title };
    }),
  };
}

const PILE_COLUMNS = { blobs: "integer", bytes: "integer" } as const satisfies Columns;
type Pile = RowOf<typeof PILE_COLUMNS>;

const UNNAMED =
  "NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.digest = b.digest AND a.deleted_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > @now))";

/** Blobs that the next sweep removes: of what ended or expired, and of sessions that were read anew. */
function waitingOf({ sqlite }: Archive, now: number): Pile {
  const one = (sql: string) => scalar(sqlite, "integer", sql).get();
  // Asking 100,000 blobs one by one takes 80 ms. Mostly each has an artifact, and then those of tombstones are all there are.
  const isEachNamed = one("SELECT count(DISTINCT digest) FROM artifacts") === one("SELECT count(*) FROM blobs");
  const ended =
    "SELECT digest FROM artifacts WHERE deleted_at IS NOT NULL UNION SELECT digest FROM artifacts WHERE expires_at IS NOT NULL AND deleted_at IS NULL AND expires_at <= @now";
  const among = isEachNamed ? `(${ended}) d CROSS JOIN blobs b ON b.digest = d.digest` : "blobs b";
  return query(
    sqlite,
    PILE_COLUMNS,
    `SELECT count(*) AS blobs, coalesce(sum(b.size), 0) AS bytes FROM ${among} WHERE b.removed_at IS NULL AND ${UNNAMED}`,
  ).get({ now })!;
}
