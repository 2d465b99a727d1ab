// What should go goes: artifacts whose time is over, what the limits of retention end, and then the bytes that nothing
// names any more. In two phases: rows become tombstones under the barrier, and only what is committed frees bytes. It
// runs in the thread that writes, gives way to other writers after each few hundred rows, and can be stopped between them.
import { query, scalar } from "#db/statement.ts";
import type { GcAnswer, GcRequest } from "#lib/wire/retention-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { WorkOptions } from "../base/work-options.ts";
import { shrinkLog } from "../base/make-room.ts";
import { ensureReserveFile } from "../base/reserve-file.ts";
import { write } from "../base/write.ts";
import { clockHold } from "./clock-hold.ts";
import { removeDead, removeOrphans, type Removed } from "./remove-blobs.ts";
import { retentionOf } from "../settings/retention-setting.ts";
import { goingRows } from "./retention.ts";
import { expireDueWrite, retireWrite } from "./tombstone.ts";

export type GcInput = Partial<GcRequest> & {
  readonly graceMs?: number;
};

/** Rows that end in one write. */
const CHUNK = 500;

/** Sweeps the archive; with `dryRun` it counts what would go. */
export async function collect(archive: Archive, input: GcInput = {}, options: WorkOptions = {}): Promise<GcAnswer> {
  const startedAt = performance.now();
  const { dryRun = false, walk = true, trustClock = false } = input;
  const { signal } = options;
  const removing = { dryRun, signal, ...(input.graceMs !== undefined && { graceMs: input.graceMs }) };
  const say = (what: string) => (done: number) => options.onProgress?.({ done, total: null, what });
  const held = await clockHold(archive, { save: !dryRun, isTrusted: trustClock });
  // Ending rows takes room: where it is short, what is dead already goes first.
  const first = dryRun || ensureReserveFile(archive) ? NONE : await removeDead(archive, removing);
  const ended = dryRun ? wouldEnd(archive) : held !== null ? NOTHING_ENDED : await endRows(archive, options);
  const dead = await removeDead(archive, { ...removing, onProgress: say("blobs that nothing names") });
  const orphans = walk ? await removeOrphans(archive, { ...removing, onProgress: say("blobs without a row") }) : NONE;
  const leftovers = dryRun ? 0 : archive.blobs.sweepLeftovers();
  if (!dryRun) {
    // The disk was full: what the log of the database takes goes back first.
    if (!ensureReserveFile(archive)) shrinkLog(archive);
    ensureReserveFile(archive);
  }
  return {
    dryRun,
    cancelled: signal?.aborted ?? false,
    expired: ended.expired,
    swept: ended.swept,
    blobs: first.blobs + dead.blobs + ended.blobs,
    orphans: orphans.orphans,
    bytes: first.bytes + dead.bytes + ended.bytes + orphans.bytes,
    spared: dead.spared + orphans.spared,
    guarded: dead.guarded + orphans.guarded,
    leftovers,
    ms: Math.round(performance.now() - startedAt),
    held,
  };
}

const NONE: Removed = { blobs: 0, orphans: 0, bytes: 0, spared: 0, guarded: 0 };
type Ended = { expired: number; swept: number; blobs: number; bytes: number };
const NOTHING_ENDED: Ended = { expired: 0, swept: 0, blobs: 0, bytes: 0 };

async function endRows(archive: Archive, { signal, onProgress }: WorkOptions): Promise<Ended> {
  const sum = { ...NOTHING_ENDED };
  const now = archive.host.now();
  for (let ended = CHUNK; ended === CHUNK;) {
    if (signal?.aborted) break;
    ({ ended } = await write(archive, expireDueWrite, { now, limit: CHUNK }));
    sum.expired += ended;
    onProgress?.({ done: sum.expired, total: null, what: "expired artifacts" });
  }
  const settings = retentionOf(archive);
  const pks = goingRows(archive, settings);
  for (let at = 0; at < pks.length; at += CHUNK) {
    if (signal?.aborted) break;
    const input = { pks: pks.slice(at, at + CHUNK), keepNamed: settings.keepNamed };
    const { ended } = await write(archive, retireWrite, input);
    sum.swept += ended;
    onProgress?.({ done: sum.swept, total: pks.length, what: "artifacts beyond the limits" });
  }
  return sum;
}

/** What a sweep would end now. The bytes behind it are counted too: nothing else would name them. */
function wouldEnd(archive: Archive): Ended {
  const { sqlite } = archive;
  const now = archive.host.now();
  const expired = scalar(
    sqlite,
    "artifacts.pk",
    "FROM artifacts WHERE expires_at IS NOT NULL AND expires_at <= ? AND deleted_at IS NULL",
  ).all(now);
  const swept = goingRows(archive, retentionOf(archive));
  const going = JSON.stringify([...expired, ...swept]);
  const freed = query(
    sqlite,
    { blobs: "integer", bytes: "integer" },
    `WITH going AS MATERIALIZED (SELECT value AS pk FROM json_each(?)),
         contents AS (SELECT DISTINCT digest FROM artifacts WHERE pk IN (SELECT pk FROM going))
       SELECT count(*) AS blobs, coalesce(sum(b.size), 0) AS bytes FROM contents c JOIN blobs b ON b.digest = c.digest AND b.removed_at IS NULL
       WHERE NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.digest = c.digest AND a.deleted_at IS NULL AND a.pk NOT IN (SELECT pk FROM going))`,
  ).get(going)!;
  return { expired: expired.length, swept: swept.length, ...freed };
}

/** How often the sweep that the server makes by itself looks at each file (milliseconds). */
export const WALK_EVERY_MS = 6 * 3_600_000;
