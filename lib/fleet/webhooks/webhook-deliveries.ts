// The queue of a fleet's webhooks, as one machine has it in its archive. A message has its row once, whichever node finds what it tells
// of; a webhook is sent to by one node at a time.
import { randomBytes } from "node:crypto";
import type { AttemptResult } from "#lib/archive/settings/send-delivery.ts";
import { FORGET_MS, fullQueue, payloadOf, type Notice } from "#lib/archive/settings/webhook-queue.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { WebhookKind } from "#lib/wire/webhooks-schema.ts";
import type { FleetSql, FleetTransaction } from "#db/fleet/fleet-sql.ts";

type Sql = FleetSql | FleetTransaction;

export type FleetDelivery = {
  readonly webhook: string;
  readonly message: string;
  readonly type: string;
  readonly session: string | null;
  readonly payload: string;
  readonly state: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly next_at: number;
  readonly created_at: number;
  readonly sent_at: number | null;
};

/** A message that is this node's to send, until its claim ends. */
export type Claimed = FleetDelivery & { readonly url: string; readonly secret: string; readonly claim: string };

/** A receiver has 10 seconds. Whoever does not come back within this has ended, or is paused. */
const CLAIM_SECONDS = 30;

/** Whether any webhook is on that wants this kind, or any kind. */
export async function isWanted(sql: Sql, kind: WebhookKind | null = null): Promise<boolean> {
  const rows =
    await sql`SELECT 1 FROM webhooks WHERE enabled AND (${kind}::text IS NULL OR kinds::jsonb ? ${kind}) LIMIT 1`;
  return rows.length > 0;
}

/** Queues each notice for the webhooks that are on, want its kind, and were there when it happened. */
export async function queueFleetNotices(tx: FleetTransaction, notices: readonly Notice[], now: number): Promise<void> {
  const hooks = await tx<
    { id: string; kinds: string; titles: boolean; created_at: number; waiting: number }[]
  >`SELECT id, kinds, titles, created_at,
      (SELECT count(*)::int FROM webhook_deliveries d WHERE d.webhook = w.id AND d.state = 'waiting') AS waiting
    FROM webhooks w WHERE enabled ORDER BY id FOR SHARE`;
  for (const { id, kinds, titles, created_at: since, waiting } of hooks) {
    const own = new Set(JSON.parse(kinds) as WebhookKind[]);
    // Of a budget it is now that counts, whatever the clocks of two nodes say.
    const wanted = notices.filter(({ kind, at, session }) => own.has(kind) && (session === null || at >= since));
    let more = waiting;
    for (const notice of wanted) {
      const error = fullQueue(more);
      const { type, message, session } = notice;
      const rows = await tx`INSERT INTO webhook_deliveries ${tx({
        ...{ webhook: id, message, type, session, payload: payloadOf(notice, titles) },
        ...{ state: error === null ? "waiting" : "failed", error, next_at: now, created_at: now },
      })} ON CONFLICT DO NOTHING RETURNING 1`;
      more += rows.length;
    }
    if (wanted.length > 0) await trimDeliveries(tx, id, now);
  }
}

/** The log keeps its newest, and what a look might still find; of that ten times as many. */
export async function trimDeliveries(sql: Sql, webhook: string, now: number): Promise<void> {
  for (const [before, most] of [
    [now - FORGET_MS, LIMITS.webhookLog],
    [now + 1, 10 * LIMITS.webhookLog],
  ] as const)
    await sql`DELETE FROM webhook_deliveries WHERE webhook = ${webhook} AND state <> 'waiting' AND created_at < ${before} AND message IN (
      SELECT message FROM webhook_deliveries WHERE webhook = ${webhook} AND state <> 'waiting'
      ORDER BY created_at DESC, message OFFSET ${most})`;
}

/** A message of each webhook that has one to send and to which nobody sends, the longest due first. */
export async function claimDeliveries(sql: FleetSql, node: string, now: number): Promise<Claimed[]> {
  const claim = `${node} ${randomBytes(6).toString("hex")}`;
  const hooks = await sql<{ id: string; url: string; secret: string }[]>`
    UPDATE webhooks w SET busy_by = ${claim}, busy_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
    WHERE enabled AND (busy_until IS NULL OR busy_until < clock_timestamp())
      AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook = w.id AND d.state = 'waiting' AND d.next_at <= ${now})
    RETURNING id, url, secret`;
  const claimed: Claimed[] = [];
  for (const { id, url, secret } of hooks) {
    const [row] = await sql<FleetDelivery[]>`SELECT * FROM webhook_deliveries
      WHERE webhook = ${id} AND state = 'waiting' AND next_at <= ${now} ORDER BY next_at, created_at, message LIMIT 1`;
    // Another node sent it between the two.
    if (row === undefined) await releaseClaim(sql, { webhook: id, claim });
    else claimed.push({ ...row, url, secret, claim });
  }
  return claimed;
}

export async function releaseClaim(sql: Sql, { webhook, claim }: Pick<Claimed, "webhook" | "claim">): Promise<void> {
  await sql`UPDATE webhooks SET busy_by = NULL, busy_until = NULL WHERE id = ${webhook} AND busy_by = ${claim}`;
}

/** What an attempt came to, unless another node knows more of it by now, or the webhook has another address. */
export async function noteAttempt(
  sql: Sql,
  { webhook, message, attempts, url }: Pick<Claimed, "webhook" | "message" | "attempts" | "url">,
  { status, error, nextAt, isGone }: AttemptResult,
  now: number,
): Promise<void> {
  const state = error === null ? "delivered" : nextAt === null ? "failed" : "waiting";
  const noted =
    await sql`UPDATE webhook_deliveries SET state = ${state}, attempts = attempts + 1, status = ${status}, error = ${error},
      next_at = ${nextAt ?? 0}, sent_at = ${now}
    WHERE webhook = ${webhook} AND message = ${message} AND state = 'waiting' AND attempts = ${attempts}
      AND EXISTS (SELECT 1 FROM webhooks WHERE id = ${webhook} AND url = ${url}) RETURNING 1`;
  if (isGone && noted.length > 0) await sql`UPDATE webhooks SET enabled = false WHERE id = ${webhook}`;
}

/** Gives up what waited too long: its webhook was off, or the fleet was. */
export async function expireFleetDeliveries(sql: Sql, now: number): Promise<void> {
  await sql`UPDATE webhook_deliveries SET state = 'failed', error = coalesce(error, 'Not sent.') || ' It waited too long.'
    WHERE state = 'waiting' AND created_at < ${now - LIMITS.webhookWaitMs}`;
}

/** The log of a webhook: what waits and what was sent, the newest first. */
export const deliveriesOf = async (sql: Sql, webhook: string): Promise<FleetDelivery[]> => [
  ...(await sql<FleetDelivery[]>`SELECT * FROM webhook_deliveries WHERE webhook = ${webhook}
    ORDER BY created_at DESC, message LIMIT ${LIMITS.webhookLog}`),
];
