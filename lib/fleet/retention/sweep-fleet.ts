// The sweep: tombstones whose time is over lose what they could be restored from, and objects that nothing names go, when nobody asked
// for them for as long either. An object is first marked as going, in the database: from then on who asks for it is refused or waits.
// Only then is it removed from the bucket, and only then its mark.
import { setTimeout } from "node:timers/promises";
import { BLOBS } from "#lib/blobs/s3.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { SweepAnswer } from "#lib/wire/fleet-retention-schema.ts";
import type { SentObject } from "#lib/wire/fleet-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { BELIEVED_MS, objectName, SEGMENTS } from "../stored-objects.ts";
import { clearTombstones, trimCommits } from "./clear-tombstones.ts";
import { commitObjects, isUnnamed } from "./named-objects.ts";
import { claimSweep } from "./sweep-number.ts";

/** Days between a deletion and the sweep. */
export const GRACE_DAYS = 7;

export function graceDaysOf(env: Readonly<Record<string, string | undefined>>): number {
  const text = env["PLIMSOLL_GRACE_DAYS"];
  if (text === undefined) return GRACE_DAYS;
  const days = Number(text);
  // What was asked for within the hour is safe because a day is the least.
  return Number.isInteger(days) && days >= 1 && days <= 3650
    ? days
    : fail("invalid", `PLIMSOLL_GRACE_DAYS is "${text.slice(0, 40)}". Give whole days, 1 to 3650.`);
}

export type SweepOptions = {
  readonly graceDays: number;
  /** The moment that it is; the database's own clock where none is given. */
  readonly at?: Date;
  /** How long who looked at the bucket before may still note what is there. */
  readonly noticeMs?: number;
  /** This database is the bucket's own, though the bucket knows of later sweeps. */
  readonly adopts?: boolean;
  readonly signal?: AbortSignal;
};

type Sweep = { readonly fleet: Fleet; readonly cutoff: Date; readonly signal: AbortSignal | undefined };

/** Objects that are looked at in one statement, and removals under way at once. */
const PAGE = 2000;
const AT_ONCE = 16;
/** Marks of a sweep that did not come to its end are taken over after so long; no sweep removes what it marked so long ago. */
const ABANDONED = "15 minutes";
const LASTS_MS = 5 * 60_000;

export async function sweepFleet(fleet: Fleet, options: SweepOptions): Promise<SweepAnswer> {
  const { graceDays, noticeMs = 2 * BELIEVED_MS, signal } = options;
  if (!(graceDays >= 1)) fail("invalid", `A sweep waits at least a day, not ${graceDays}.`);
  await claimSweep(fleet, options.adopts);
  const at = options.at ?? (await databaseTime(fleet));
  const sweep: Sweep = { fleet, cutoff: new Date(at.getTime() - graceDays * 86_400_000), signal };
  const tombstones = await clearTombstones(fleet, sweep.cutoff);
  const commits = await trimCommits(fleet, sweep.cutoff);
  const sums = { objects: 0, bytes: 0 };
  const add = async (going: Promise<Going[]> | Going[], startedAt = performance.now()): Promise<void> => {
    const removed = await removeGoing(sweep, await going, startedAt);
    sums.objects += removed.length;
    sums.bytes += removed.reduce((sum, { bytes }) => sum + bytes, 0);
  };
  await add(takeOver(sweep));
  for (let after = "", last = await lastOfPage(sweep, after); last !== null; last = await lastOfPage(sweep, after)) {
    await add(markPage(sweep, after, last));
    after = last;
  }
  let strays = 0;
  for await (const some of oldObjects(sweep)) {
    const startedAt = performance.now();
    const going = await markStrays(sweep, some);
    if (going.length === 0) continue;
    strays += going.length;
    await setTimeout(noticeMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
    if (signal?.aborted === true) break;
    await add(going, startedAt);
  }
  return { tombstones, commits, ...sums, strays };
}

type Going = SentObject;

async function databaseTime({ sql, ask }: Fleet): Promise<Date> {
  const [row] = await ask(() => sql<{ at: Date }[]>`SELECT clock_timestamp() AS at`);
  return row!.at;
}

/** What a sweep has marked that did not come to its end. */
async function takeOver({ fleet: { sql, ask } }: Sweep): Promise<Going[]> {
  return ask(
    () => sql<
      Going[]
    >`UPDATE objects SET going_at = clock_timestamp() WHERE going_at < clock_timestamp() - ${ABANDONED}::interval
      RETURNING digest, kind, bytes`,
  );
}

/** Null where nothing follows, or the sweep is to end. */
async function lastOfPage({ fleet: { sql, ask }, signal }: Sweep, after: string): Promise<string | null> {
  if (signal?.aborted === true) return null;
  const [row] = await ask(
    () => sql<{ last: string | null }[]>`SELECT max(digest) AS last FROM
      (SELECT digest FROM objects WHERE digest > ${after} ORDER BY digest LIMIT ${PAGE}) page`,
  );
  return row?.last ?? null;
}

/**
 * Marks what nothing names. Who notes an object as seen meanwhile changes its row: then this statement looks at that row again, and
 * leaves it. Rows are locked in the order of their digests, as by all others: nobody waits in a circle.
 */
async function markPage({ fleet: { sql, ask }, cutoff }: Sweep, after: string, last: string): Promise<Going[]> {
  const isOld = sql`o.digest > ${after} AND o.digest <= ${last} AND o.going_at IS NULL AND o.seen_at < ${cutoff}`;
  // Most pages have none: bodies of commits are looked into for those that do.
  const [some] = await ask(
    () => sql`SELECT 1 FROM objects o WHERE ${isOld}
      AND NOT EXISTS (SELECT 1 FROM family_objects n WHERE n.digest = o.digest) LIMIT 1`,
  );
  if (some === undefined) return [];
  return ask(
    () => sql<Going[]>`WITH ${commitObjects(sql)}
      UPDATE objects SET going_at = clock_timestamp() WHERE digest IN (
        SELECT o.digest FROM objects o WHERE ${isOld} AND ${isUnnamed(sql, "o.digest")} ORDER BY o.digest FOR UPDATE)
      RETURNING digest, kind, bytes`,
  );
}

/** Removes what is marked, while its mark is young. What the bucket does not confirm keeps it, for a later sweep. */
async function removeGoing({ fleet, signal }: Sweep, going: readonly Going[], startedAt: number): Promise<Going[]> {
  const removed: Going[] = [];
  const queue = [...going];
  const isOver = (): boolean => signal?.aborted === true || performance.now() - startedAt > LASTS_MS;
  const work = await Promise.allSettled(
    Array.from({ length: Math.min(AT_ONCE, queue.length) }, async () => {
      for (let next = queue.pop(); next !== undefined && !isOver(); next = queue.pop()) {
        await fleet.objects.remove(objectName(next));
        removed.push(next);
      }
    }),
  );
  const { sql, ask } = fleet;
  if (removed.length > 0)
    await ask(
      () =>
        sql`DELETE FROM objects WHERE digest = ANY(${removed.map(({ digest }) => digest)}) AND going_at IS NOT NULL`,
    );
  const failed = work.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return removed;
}

/** What lies in the bucket for long, some at a time. Other names are not ours. */
async function* oldObjects({ fleet, cutoff, signal }: Sweep): AsyncGenerator<SentObject[]> {
  let some: SentObject[] = [];
  for (const [prefix, kind] of [
    [SEGMENTS, "segment"],
    [BLOBS, "blob"],
  ] as const)
    for await (const { name, size, modifiedMs } of fleet.objects.list(prefix)) {
      if (signal?.aborted === true) return;
      const digest = name.slice(name.lastIndexOf("/") + 1);
      if (!(modifiedMs < cutoff.getTime()) || !/^[0-9a-f]{64}$/.test(digest)) continue;
      some.push({ digest, kind, bytes: size });
      if (some.length < PAGE) continue;
      yield some;
      some = [];
    }
  if (some.length > 0) yield some;
}

/** Marks those that were never noted, and that nothing names. Who notes one at the same moment wins, or is refused. */
async function markStrays({ fleet: { sql, ask } }: Sweep, objects: readonly SentObject[]): Promise<Going[]> {
  const digests = objects.map(({ digest }) => digest);
  const known = await ask(() => sql<{ digest: string }[]>`SELECT digest FROM objects WHERE digest = ANY(${digests})`);
  const noted = new Set(known.map(({ digest }) => digest));
  const rest = objects.filter(({ digest }) => !noted.has(digest));
  if (rest.length === 0) return [];
  return ask(
    () => sql<Going[]>`WITH ${commitObjects(sql)}
      INSERT INTO objects (digest, kind, bytes, seen_at, going_at)
      SELECT o.digest, o.kind, o.bytes, 'epoch', clock_timestamp()
      FROM jsonb_to_recordset(${sql.json(rest as never)}) AS o(digest text, kind text, bytes bigint) WHERE ${isUnnamed(sql, "o.digest")}
      ON CONFLICT DO NOTHING RETURNING digest, kind, bytes`,
  );
}
