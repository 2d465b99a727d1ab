// The queue of webhooks. It is in the database, so that a start goes on where the last end left it; what was sent stays as the
// log, and as the reason why the same message is not queued twice.
import type { Rows } from "#db/schema.ts";
import { command, query, scalar } from "#db/statement.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { WebhookDelivery, WebhookKind } from "#lib/wire/webhooks-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { defineWrite } from "../base/write.ts";
import { findWebhook } from "./webhook-rows.ts";
import { exactly } from "#lib/kernel/exactly.ts";

/** Something that happened in a session or to a budget, for whoever wants to be told. */
export type Notice = {
  readonly kind: WebhookKind;
  readonly type: string;
  /** The same for the same happening, whenever it is looked at. */
  readonly message: string;
  /** Null where it is of no one session. */
  readonly session: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Of the data, what a person named: null where a webhook is not sent titles. */
  readonly personal: readonly string[];
};

export type Attempt = {
  readonly pk: number;
  /** The address that was sent to. */
  readonly url: string;
  readonly status: number | null;
  readonly error: string | null;
  /** Null: there is no other attempt. */
  readonly nextAt: number | null;
  /** The receiver said that it is gone for good. */
  readonly isGone: boolean;
};

/** Rows older than this are history for every look, so that they may leave the log. */
export const FORGET_MS = 3 * LIMITS.webhookLiveMs;

type Queued = {
  readonly notices: readonly Notice[];
  /** The one session that they are of; its pages hear of the write. */
  readonly sessionId?: string;
};

/** Queues each notice for the webhooks that are on, want its kind, and were there when it happened. */
export function queueNotices(archive: Archive, batch: Batch, { notices }: Queued): number {
  const rows = query(archive.sqlite, { "*": "webhooks.*" }, "FROM webhooks WHERE enabled = 1").all();
  let queued = 0;
  for (const row of rows) {
    const kinds = new Set(JSON.parse(row.kinds) as WebhookKind[]);
    const wanted = notices.filter(({ kind, at }) => kinds.has(kind) && at >= row.created_at);
    for (const notice of wanted) {
      const { type, message, session } = notice;
      const payload = payloadOf(notice, row.titles === 1);
      queued += add(archive, batch, { webhook_pk: row.pk, message, type, session, payload });
    }
    if (wanted.length > 0) trim(archive, batch, row.pk);
  }
  return queued;
}

export function payloadOf({ at, data, personal }: Notice, hasTitles: boolean): string {
  const hidden = hasTitles ? [] : personal.map((name) => [name, null] as const);
  return JSON.stringify({ timestamp: new Date(at).toISOString(), data: { ...data, ...Object.fromEntries(hidden) } });
}

export const TEST_DATA = { message: "A test from Plimsoll." };

type NewDelivery = Pick<Rows["webhook_deliveries"], "webhook_pk" | "message" | "type" | "session" | "payload">;

/** A full queue takes no more: the log says which message was left out. */
function add({ sqlite }: Archive, batch: Batch, row: NewDelivery): number {
  const waiting = scalar(
    sqlite,
    "integer",
    "SELECT count(*) FROM webhook_deliveries WHERE webhook_pk = ? AND state = 'waiting'",
  ).get(row.webhook_pk)!;
  const error = fullQueue(waiting);
  return command(
    sqlite,
    `INSERT OR IGNORE INTO webhook_deliveries (webhook_pk, message, type, session, payload, state, attempts, next_at, error, created_at)
     VALUES (@webhook_pk, @message, @type, @session, @payload, @state, 0, @now, @error, @now)`,
  ).run({
    ...row,
    state: error === null ? "waiting" : "failed",
    error,
    now: batch.now,
  }).changes;
}

export const fullQueue = (waiting: number): string | null =>
  waiting >= LIMITS.webhookQueued ? `Not sent: ${exactly(LIMITS.webhookQueued)} messages wait already.` : null;

/** The log keeps its newest; at twice its length it also drops what a look might still find. */
function trim({ sqlite }: Archive, batch: Batch, webhook: number): void {
  const drop = command(
    sqlite,
    `DELETE FROM webhook_deliveries WHERE webhook_pk = @webhook AND state <> 'waiting' AND created_at < @before AND pk <= (
       SELECT pk FROM webhook_deliveries WHERE webhook_pk = @webhook AND state <> 'waiting' ORDER BY pk DESC LIMIT 1 OFFSET @most)`,
  );
  drop.run({ webhook, before: batch.now - FORGET_MS, most: LIMITS.webhookLog });
  drop.run({ webhook, before: batch.now + 1, most: 10 * LIMITS.webhookLog });
}

/** A message that a person asked for, to see whether it arrives; its row. */
function queueTest(
  archive: Archive,
  batch: Batch,
  { id, message }: { readonly id: string; readonly message: string },
): number {
  const { pk } = findWebhook(archive, id);
  const payload = JSON.stringify({
    timestamp: new Date(batch.now).toISOString(),
    data: TEST_DATA,
  });
  // Not due: whoever asked for it sends it.
  command(
    archive.sqlite,
    `INSERT INTO webhook_deliveries (webhook_pk, message, type, payload, state, attempts, next_at, created_at)
     VALUES (?, ?, 'test', ?, 'waiting', 0, ?, ?)`,
  ).run(pk, message, payload, batch.now + LIMITS.webhookWaitMs, batch.now);
  trim(archive, batch, pk);
  return scalar(
    archive.sqlite,
    "webhook_deliveries.pk",
    "FROM webhook_deliveries WHERE webhook_pk = ? AND message = ?",
  ).get(pk, message)!;
}

/** What an attempt came to. Of an address that was replaced or removed meanwhile it says nothing: the new one is sent to. */
function noteAttempt({ sqlite }: Archive, batch: Batch, { pk, url, status, error, nextAt, isGone }: Attempt): null {
  const noted = command(
    sqlite,
    `UPDATE webhook_deliveries SET state = ?, attempts = attempts + 1, status = ?, error = ?, next_at = ?, sent_at = ?
     WHERE pk = ? AND state = 'waiting' AND webhook_pk IN (SELECT pk FROM webhooks WHERE url = ?)`,
  ).run(
    error === null ? "delivered" : nextAt === null ? "failed" : "waiting",
    status,
    error,
    nextAt ?? 0,
    batch.now,
    pk,
    url,
  ).changes;
  if (isGone && noted > 0)
    command(
      sqlite,
      "UPDATE webhooks SET enabled = 0 WHERE pk = (SELECT webhook_pk FROM webhook_deliveries WHERE pk = ?)",
    ).run(pk);
  return null;
}

/** Gives up what waited too long: its webhook was off, or Plimsoll was. */
function expireDeliveries({ sqlite }: Archive, batch: Batch): number {
  return command(
    sqlite,
    `UPDATE webhook_deliveries SET state = 'failed', error = coalesce(error, 'Not sent.') || ' It waited too long.'
     WHERE state = 'waiting' AND created_at < ?`,
  ).run(batch.now - LIMITS.webhookWaitMs).changes;
}

const DUE = { "*": "webhook_deliveries.*", url: "webhooks.url", secret: "webhooks.secret" } as const;
const DUE_FROM = "FROM webhook_deliveries d JOIN webhooks w ON w.pk = d.webhook_pk";
const DUE_COLUMNS = "SELECT d.*, w.url AS url, w.secret AS secret";
export type DueDelivery = Rows["webhook_deliveries"] & { readonly url: string; readonly secret: string };

/** Messages that may be sent now, the longest due first; of webhooks that are not among `busy`. */
export function dueDeliveries(archive: Archive, now: number, busy: ReadonlySet<number>): DueDelivery[] {
  const rows = query(
    archive.sqlite,
    DUE,
    `${DUE_COLUMNS} ${DUE_FROM} WHERE d.state = 'waiting' AND w.enabled = 1 AND d.next_at <= ?
       AND NOT EXISTS (SELECT 1 FROM json_each(?) WHERE value = d.webhook_pk) ORDER BY d.next_at, d.pk LIMIT 100`,
  ).all(now, JSON.stringify([...busy]));
  return rows.filter(({ webhook_pk: pk }, i) => rows.findIndex((row) => row.webhook_pk === pk) === i);
}

export const deliveryByPk = (archive: Archive, pk: number): DueDelivery | undefined =>
  query(archive.sqlite, DUE, `${DUE_COLUMNS} ${DUE_FROM} WHERE d.pk = ?`).get(pk);

/** When the next message is due that is not due now; null when none waits. */
export const nextDueAt = (archive: Archive, now: number): number | null =>
  scalar(
    archive.sqlite,
    "integer?",
    `SELECT min(d.next_at) ${DUE_FROM} WHERE d.state = 'waiting' AND w.enabled = 1 AND d.next_at > ?`,
  ).get(now) ?? null;

/** True when no webhook wants it that has not got it. */
export const isQueued = (archive: Archive, { kind, message, at }: Notice): boolean =>
  command(
    archive.sqlite,
    `SELECT 1 FROM webhooks w WHERE w.enabled = 1 AND w.created_at <= @at
       AND EXISTS (SELECT 1 FROM json_each(w.kinds) WHERE value = @kind)
       AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_pk = w.pk AND d.message = @message) LIMIT 1`,
  ).get({ kind, message, at }) === undefined;

/** The log of a webhook: what waits and what was sent, the newest first. */
export const listDeliveries = (archive: Archive, webhook: number): WebhookDelivery[] =>
  query(
    archive.sqlite,
    { "*": "webhook_deliveries.*" },
    "FROM webhook_deliveries WHERE webhook_pk = ? ORDER BY pk DESC LIMIT ?",
  )
    .all(webhook, LIMITS.webhookLog)
    .map(deliveryOf);

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

export const deliveryOf = (row: Omit<Rows["webhook_deliveries"], "pk" | "webhook_pk">): WebhookDelivery => ({
  id: row.message,
  type: row.type,
  session: row.session,
  state: row.state,
  attempts: row.attempts,
  status: row.status,
  error: row.error,
  createdAt: new Date(row.created_at).toISOString(),
  sentAt: iso(row.sent_at),
  nextAt: row.state === "waiting" && row.type !== "test" ? iso(row.next_at) : null,
});

export const queueNoticesWrite = defineWrite("queueNotices", queueNotices);
export const queueTestWrite = defineWrite("queueWebhookTest", queueTest);
export const noteAttemptWrite = defineWrite("noteWebhookAttempt", noteAttempt);
export const expireDeliveriesWrite = defineWrite("expireDeliveries", expireDeliveries);
