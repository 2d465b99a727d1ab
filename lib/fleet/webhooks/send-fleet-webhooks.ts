// A node's part in the webhooks of its fleet: it queues what it sees happen in the sessions that are here, and what becomes of budgets
// when it is its turn to look; and it sends what waits, one message of a webhook at a time in the whole fleet.
import { setTimeout } from "node:timers/promises";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { noticesOf, recentSessions, type Looked } from "#lib/archive/sessions/session-notices.ts";
import { attemptDelivery } from "#lib/archive/settings/send-delivery.ts";
import type { Notice } from "#lib/archive/settings/webhook-queue.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { Fleet } from "../open-fleet.ts";
import { isTimeFor } from "../retention/node-retention.ts";
import { queueBudgetWarnings } from "./budget-warnings.ts";
import {
  claimDeliveries,
  expireFleetDeliveries,
  isWanted,
  noteAttempt,
  queueFleetNotices,
  releaseClaim,
  type Claimed,
} from "./webhook-deliveries.ts";

/** How often a node looks for what is due. */
const POLL_MS = 2000;
const AWAY_MS = 5000;
/** Budgets are summed no oftener than this in the whole fleet. */
const BUDGET_SECONDS = 10;
const HOUR_SECONDS = 3600;
/** Sessions that are looked at before others have their turn. */
const SLICE = 20;
/** What was queued from here is known for as long as a look might find it again. */
const KNOWN = 5000;
/** The database may be away for a moment when an answer is to be written down: asked again so often, within the claim. */
const NOTES = 5;
const NOTE_AGAIN_MS = 3000;

export type FleetSender = {
  /** Ends it; what waits is sent by another node, or after the next start. */
  close(): Promise<void>;
};

export type SenderOptions = {
  /** The page of a session where browsers find it. */
  link(session: string): string | null;
  readonly retryMs: readonly number[];
  readonly pollMs?: number;
  readonly budgetSeconds?: number;
};

export function sendFleetWebhooks(
  fleet: Fleet,
  archive: Archive,
  { link, retryMs, pollMs = POLL_MS, budgetSeconds = BUDGET_SECONDS }: SenderOptions,
): FleetSender {
  const { sql, ask, node } = fleet;
  const stop = new AbortController();
  const { signal } = stop;
  const looked: Looked = new Map();
  const known = new Set<string>();
  const sending = new Set<Promise<void>>();
  const now = (): number => archive.host.now();

  async function queue(notices: readonly Notice[]): Promise<void> {
    if (notices.length === 0) return;
    await ask(() => sql.begin((tx) => queueFleetNotices(tx, notices, now())));
    for (const { message } of notices) known.add(message);
    for (const message of known)
      if (known.size <= KNOWN) break;
      else known.delete(message);
  }

  async function look(): Promise<void> {
    if (!(await ask(() => isWanted(sql)))) return;
    const pks = recentSessions(archive, looked);
    for (let i = 0; i < pks.length && !signal.aborted; i += SLICE) {
      const found = pks
        .slice(i, i + SLICE)
        .flatMap((pk) => noticesOf(archive, pk, looked, ({ message }) => known.has(message)));
      await queue(found);
    }
    if (await isTimeFor(fleet, "budgets", budgetSeconds)) await queueBudgetWarnings(fleet, now());
    if (await isTimeFor(fleet, "webhooks_expired", HOUR_SECONDS)) await ask(() => expireFleetDeliveries(sql, now()));
  }

  /** Sends what is due; when one has its answer, the next of its webhook. */
  async function pump(): Promise<void> {
    for (const row of await ask(() => claimDeliveries(sql, node, now()))) {
      const one: Promise<void> = deliver(row).finally(() => sending.delete(one));
      sending.add(one);
    }
  }

  async function deliver(row: Claimed): Promise<void> {
    try {
      const result = await attemptDelivery(archive.host, row, { link, retryMs, signal });
      await note(() =>
        sql.begin(async (tx) => {
          await noteAttempt(tx, row, result, now());
          await releaseClaim(tx, row);
        }),
      );
      if (!signal.aborted) await pump();
    } catch (error) {
      // Another node, or the next start, goes on with it at once.
      if (signal.aborted) await ask(() => releaseClaim(sql, row)).catch(() => undefined);
      else if (!isAppError(error)) console.error("A webhook's delivery could not be recorded:", error);
    }
  }

  async function note(run: () => Promise<unknown>): Promise<void> {
    for (let n = 1; ; n++)
      try {
        return void (await ask(run));
      } catch (error) {
        if (n === NOTES || signal.aborted || !isAppError(error)) throw error;
        await setTimeout(NOTE_AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
  }

  async function rounds(): Promise<void> {
    while (!signal.aborted) {
      let pause = pollMs;
      try {
        await look();
        await pump();
      } catch (error) {
        // What was not queued is found again: nothing was looked at.
        looked.clear();
        if (!isAppError(error) && !signal.aborted) console.error("Webhooks could not be queued:", error);
        pause = Math.max(pollMs, AWAY_MS);
      }
      await setTimeout(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
  const round = rounds();

  return {
    async close() {
      stop.abort();
      await Promise.all([round, ...sending]);
    },
  };
}
