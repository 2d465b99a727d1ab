// A node's part in what a fleet deletes: it does what admins ask, forgets at once what it has of it, and now and then, one node at a
// time, applies the limits of projects.
import { setTimeout } from "node:timers/promises";
import type {
  DeletedFamily,
  FleetDeleteAnswer,
  FleetRestoreAnswer,
  ProjectRetention,
  RetentionOver,
} from "#lib/wire/fleet-retention-schema.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { HeldNode } from "../held/held-node.ts";
import type { Fleet } from "../open-fleet.ts";
import type { SessionCache } from "../session-cache.ts";
import type { Projects } from "../visible-projects.ts";
import type { By } from "./delete-family.ts";
import { deleteSession, listDeleted, restoreSession } from "./delete-session.ts";
import type { DeletedRequest, DeleteRequest, RestoreRequest } from "./delete-session.ts";
import { applyRetention, listRetention, setRetention, sumOverLimits } from "./project-retention.ts";
import { GRACE_DAYS, sweepFleet } from "./sweep-fleet.ts";

/** How often limits are applied, and a sweep is made, in the whole fleet. */
const RETENTION_SECONDS = 600;
const SWEEP_SECONDS = 86_400;
/** How often a node looks what was deleted, and asks whether it is time for the others' work (milliseconds). */
const LOOK_MS = 1000;
const ASK_MS = 30_000;

export type NodeRetention = {
  remove(request: DeleteRequest): Promise<FleetDeleteAnswer>;
  restore(request: RestoreRequest): Promise<FleetRestoreAnswer>;
  listDeleted(request: DeletedRequest): Promise<DeletedFamily[]>;
  list(visible: Projects): Promise<ProjectRetention[]>;
  /** What these limits would delete now. */
  preview(retention: ProjectRetention): Promise<RetentionOver>;
  set(retention: ProjectRetention, by: Omit<By, "reason">): Promise<ProjectRetention>;
  /** One round: what was deleted elsewhere goes here too, and limits are applied when it is time. */
  tend(): Promise<void>;
  /** Rounds until it is closed. Beside the reading of commits: a large one takes minutes. */
  run(): void;
  /** Ends a sweep that is under way, too; a later one goes on. */
  close(): Promise<void>;
};

export function nodeRetention(
  fleet: Fleet,
  cache: SessionCache,
  held: HeldNode,
  graceDays: number = GRACE_DAYS,
): NodeRetention {
  let askedAt = -ASK_MS;
  let rounds: Promise<void> = Promise.resolve();
  const stop = new AbortController();
  let sweeping: Promise<void> = Promise.resolve();

  /** Beside the node's other work: it takes as long as the bucket is large. */
  async function sweep(): Promise<void> {
    try {
      await sweepFleet(fleet, { graceDays, signal: stop.signal });
    } catch (error) {
      console.error("The fleet was not swept to its end:", isAppError(error) ? error.message : error);
    }
  }

  async function repeat(work: () => Promise<void>): Promise<void> {
    while (!stop.signal.aborted) {
      await work().catch(
        (error: unknown) => isAppError(error) || console.error("What was deleted was not looked at:", error),
      );
      await setTimeout(LOOK_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    async remove(request) {
      const answer = await deleteSession(fleet, request);
      if (answer.dryRun) return answer;
      const sessions = answer.sessions.map(({ id }) => id);
      await Promise.all(sessions.map(held.drop));
      await cache.drop(sessions);
      return answer;
    },
    restore: (request) => restoreSession(fleet, request),
    listDeleted: (request) => listDeleted(fleet, request),
    list: (visible) => listRetention(fleet, visible),
    preview: async (retention) => ({ ...retention, over: await sumOverLimits(fleet, retention) }),
    set: (retention, by) => setRetention(fleet, retention, by),
    async tend() {
      await Promise.all((await cache.dropDeleted()).map(held.drop));
      if (performance.now() - askedAt < ASK_MS) return;
      askedAt = performance.now();
      if (await isTimeFor(fleet, "retention", RETENTION_SECONDS)) await applyRetention(fleet);
      if (await isTimeFor(fleet, "sweep", SWEEP_SECONDS)) sweeping = sweep();
    },
    run() {
      rounds = repeat(() => this.tend());
    },
    async close() {
      stop.abort();
      await Promise.all([rounds, sweeping]);
    },
  };
}

/** Whether a work of the whole fleet is due: true for the one node that asks first, once in so long by the database's clock. */
export async function isTimeFor({ sql, ask }: Fleet, work: string, seconds: number): Promise<boolean> {
  const rows = await ask(
    () => sql`INSERT INTO fleet_meta (key, value) VALUES (${`${work}_at`}, clock_timestamp()::text)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      WHERE fleet_meta.value::timestamptz < clock_timestamp() - make_interval(secs => ${seconds}) RETURNING 1`,
  );
  return rows.length > 0;
}
