// Watches what happens in sessions and sends it to webhooks, beside all else that the server does: one message of a webhook at
// a time, so that a receiver that hangs holds up its own queue and nothing else.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { write } from "#lib/archive/base/write.ts";
import { budgetNotices, queueBudgetNoticesWrite } from "#lib/archive/load/budget-notices.ts";
import { hasWebhooks, noticesOf, recentSessions, type Looked } from "#lib/archive/sessions/session-notices.ts";
import { RETRY_MS, sendDelivery } from "#lib/archive/settings/send-delivery.ts";
import {
  deliveryByPk,
  dueDeliveries,
  expireDeliveriesWrite,
  nextDueAt,
  queueNoticesWrite,
  type DueDelivery,
} from "#lib/archive/settings/webhook-queue.ts";
import type { Changes } from "./changes.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** A file that grows is heard of several times a second. */
const SETTLE_MS = 500;
/** Sessions that pause are found so often; so is what a change was missed of. */
const LOOK_MS = 30 * SECOND;
/** Budgets are summed no oftener than this. */
const BUDGET_MS = 5 * SECOND;
/** Sessions that are looked at before others have their turn. */
const SLICE = 20;

export type WebhookSender = {
  /** Ends it; messages that wait are sent after the next start. */
  close(): Promise<void>;
};

type Options = {
  link(session: string): string | null;
  readonly settleMs?: number;
  readonly retryMs?: readonly number[];
  readonly budgetMs?: number;
};

export function sendWebhooks(
  archive: Archive,
  changes: Changes,
  { link, settleMs = SETTLE_MS, retryMs = RETRY_MS, budgetMs = BUDGET_MS }: Options,
): WebhookSender {
  const stop = new AbortController();
  const looked: Looked = new Map();
  /** What is sent now, by webhook. */
  const busy = new Map<number, { readonly row: DueDelivery; readonly end: AbortController }>();
  let settling: NodeJS.Timeout | null = null;
  let due: NodeJS.Timeout | null = null;
  let round = Promise.resolve();
  let summedAt = Number.NEGATIVE_INFINITY;

  const isOver = (): boolean => stop.signal.aborted || !archive.sqlite.open;
  const soon = (ms = settleMs): void => {
    if (settling !== null || isOver()) return;
    settling = setTimeout(() => {
      settling = null;
      round = round.then(look).catch((error: unknown) => {
        // What was not queued is found again: nothing was looked at.
        looked.clear();
        if (!isOver()) console.error("Webhooks could not be queued:", error);
      });
    }, ms).unref();
  };

  async function look(): Promise<void> {
    if (isOver()) return;
    endRemoved();
    if (!hasWebhooks(archive)) return;
    const pks = recentSessions(archive, looked);
    for (let i = 0; i < pks.length && !isOver(); i += SLICE) {
      const notices = pks.slice(i, i + SLICE).flatMap((pk) => noticesOf(archive, pk, looked));
      if (notices.length > 0) await write(archive, queueNoticesWrite, { notices });
      else await new Promise((resume) => setImmediate(resume));
    }
    await lookAtBudgets();
    pump();
  }

  /** A change within the pause is seen by the next look. */
  async function lookAtBudgets(): Promise<void> {
    const now = performance.now();
    if (isOver() || now - summedAt < budgetMs) return;
    summedAt = now;
    const found = budgetNotices(archive);
    if (found !== null) await write(archive, queueBudgetNoticesWrite, found);
  }

  /** Sends what is due, and looks again when the next is. An error here waits for the next look. */
  function pump(): void {
    try {
      sendDue();
    } catch (error) {
      if (!isOver()) console.error("Webhooks could not be sent:", error);
    }
  }

  function sendDue(): void {
    if (isOver()) return;
    if (due !== null) clearTimeout(due);
    due = null;
    // One moment for both: what becomes due between two would be in neither.
    const now = archive.host.now();
    for (const row of dueDeliveries(archive, now, new Set(busy.keys()))) void deliver(row);
    // What is due already waits for the one before it, which calls this when it ends.
    const next = nextDueAt(archive, now);
    if (next !== null) due = setTimeout(pump, Math.min(next - now, HOUR)).unref();
  }

  async function deliver(row: DueDelivery): Promise<void> {
    const end = new AbortController();
    const signal = AbortSignal.any([stop.signal, end.signal]);
    busy.set(row.webhook_pk, { row, end });
    try {
      await sendDelivery(archive, row, { link, retryMs, signal });
    } catch (error) {
      if (!signal.aborted) {
        console.error("A webhook's delivery could not be recorded:", error);
        // Its row is due still: without a pause it would be sent again at once.
        await new Promise((resume) => setTimeout(resume, LOOK_MS).unref());
      }
    } finally {
      busy.delete(row.webhook_pk);
    }
    pump();
  }

  /** What is sent at this moment to a webhook that was removed, or went elsewhere, is broken off. */
  function endRemoved(): void {
    for (const { row, end } of busy.values()) if (deliveryByPk(archive, row.pk)?.url !== row.url) end.abort();
  }

  const unsubscribe = changes.subscribe(null, (_, { type }) => {
    if (type === "session" || type === "sessions") soon();
  });
  const beat = setInterval(() => soon(0), LOOK_MS).unref();
  const expiry = setInterval(() => void expire(), HOUR).unref();
  async function expire(): Promise<void> {
    try {
      if (!isOver() && hasWebhooks(archive)) await write(archive, expireDeliveriesWrite, {});
    } catch {
      // The next hour tries again.
    }
  }
  void expire().then(() => soon(0));

  return {
    close: async () => {
      stop.abort();
      unsubscribe();
      clearInterval(beat);
      clearInterval(expiry);
      if (settling !== null) clearTimeout(settling);
      if (due !== null) clearTimeout(due);
      await round;
    },
  };
}
