// Webhooks of a fleet: what an admin asks of them, at any node. One machine has its own in its archive; a node's archive is a cache.
import { newMessage, newWebhook, webhookChange } from "#lib/archive/settings/webhooks.ts";
import { attemptDelivery } from "#lib/archive/settings/send-delivery.ts";
import { deliveryOf, TEST_DATA, type Notice } from "#lib/archive/settings/webhook-queue.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Host } from "#lib/kernel/host.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { isLocalUrl } from "#lib/kernel/webhook-post.ts";
import type {
  AddWebhookRequest,
  ChangeWebhookRequest,
  DeliveriesAnswer,
  SavedWebhook,
  WebhookDelivery,
  WebhookKind,
  WebhookRow,
} from "#lib/wire/webhooks-schema.ts";
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { Fleet } from "../open-fleet.ts";
import { EVERY_PROJECT, insertDeletion, type DeletedBy } from "../people/audit.ts";
import { deliveriesOf, noteAttempt, queueFleetNotices, trimDeliveries } from "./webhook-deliveries.ts";

export type FleetWebhooks = {
  list(): Promise<WebhookRow[]>;
  /** Its secret is in this answer and in no other. */
  add(request: AddWebhookRequest): Promise<SavedWebhook>;
  /** By its id or its name, as all that follow. */
  change(name: string, request: ChangeWebhookRequest): Promise<SavedWebhook>;
  remove(name: string, by: DeletedBy): Promise<WebhookRow>;
  test(name: string): Promise<WebhookDelivery>;
  deliveries(name: string): Promise<DeliveriesAnswer>;
  /** For what happens at a door: the log of a session does not tell it. */
  queue(notice: Notice): Promise<void>;
};

type Row = {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly kinds: string;
  readonly titles: boolean;
  readonly enabled: boolean;
  readonly created_at: number;
  readonly waiting: number;
  readonly last_state: "delivered" | "failed" | null;
  readonly last_at: number | null;
};

/** One at a time is added or renamed; the number is ours alone. */
const WEBHOOKS_LOCK = 7_164_521;

export const lockWebhooks = (tx: FleetTransaction): Promise<unknown> =>
  tx`SELECT pg_advisory_xact_lock(${WEBHOOKS_LOCK})`;

export function fleetWebhooks({ sql, ask }: Fleet, host: Host): FleetWebhooks {
  const rowsOf = (name: string | null, tx: typeof sql = sql): Promise<Row[]> =>
    tx<Row[]>`SELECT w.*, last.state AS last_state, last.at AS last_at,
        (SELECT count(*)::int FROM webhook_deliveries d WHERE d.webhook = w.id AND d.state = 'waiting') AS waiting
      FROM webhooks w LEFT JOIN LATERAL (
        SELECT state, coalesce(sent_at, created_at) AS at FROM webhook_deliveries d WHERE d.webhook = w.id AND d.state <> 'waiting'
          ORDER BY 2 DESC LIMIT 1) last ON true
      WHERE ${name}::text IS NULL OR w.id = ${name} OR w.name = ${name} ORDER BY w.id IS NOT DISTINCT FROM ${name} DESC, lower(w.name), w.name`;

  /** Fails with `not_found`. */
  async function find(name: string, tx: typeof sql = sql): Promise<Row> {
    const [row] = await rowsOf(name, tx);
    const list = "List them: plimsoll fleet webhook list";
    return row ?? fail("not_found", `There is no webhook "${name.slice(0, 80)}". ${list}`);
  }

  const changing = <T>(run: (tx: typeof sql) => Promise<T>): Promise<T> =>
    ask(
      () =>
        sql.begin(async (tx) => {
          await lockWebhooks(tx);
          return run(tx as unknown as typeof sql);
        }) as Promise<T>,
    );

  async function checkName(tx: typeof sql, name: string, id: string): Promise<void> {
    if ((await tx`SELECT 1 FROM webhooks WHERE name = ${name} AND id <> ${id}`).length > 0)
      fail("conflict", `There is a webhook "${name}" already. Choose another name.`);
  }

  return {
    list: async () => (await ask(() => rowsOf(null))).map(shown),
    async add(request) {
      const { id, name, url, secret, kinds, titles } = newWebhook(request);
      return changing(async (tx) => {
        if ((await tx`SELECT 1 FROM webhooks`).length >= LIMITS.webhooks)
          fail("conflict", `There are ${LIMITS.webhooks} webhooks, the most there may be. Remove one first.`);
        await checkName(tx, name, id);
        await tx`INSERT INTO webhooks (id, name, url, secret, kinds, titles, created_at)
          VALUES (${id}, ${name}, ${url}, ${secret}, ${JSON.stringify(kinds)}, ${titles}, ${host.now()})`;
        return { ...shown(await find(id, tx)), secret };
      });
    },
    async change(named, request) {
      const { kinds, ...change } = webhookChange(request);
      return changing(async (tx) => {
        const { id } = await find(named, tx);
        if (change.name !== undefined) await checkName(tx, change.name, id);
        const columns = { ...change, ...(kinds !== undefined && { kinds: JSON.stringify(kinds) }) };
        if (Object.keys(columns).length > 0) await tx`UPDATE webhooks SET ${tx(columns)} WHERE id = ${id}`;
        return { ...shown(await find(id, tx)), secret: change.secret ?? null };
      });
    },
    remove: (name, by) =>
      changing(async (tx) => {
        const row = await find(name, tx);
        await tx`DELETE FROM webhooks WHERE id = ${row.id}`;
        await insertDeletion(tx, by, { project: EVERY_PROJECT, what: `webhook "${row.name}"` });
        return shown(row);
      }),
    async test(name) {
      const { id, url, secret } = await ask(() => find(name));
      const now = host.now();
      const row = {
        ...{ webhook: id, message: newMessage(), type: "test", session: null, attempts: 0, created_at: now },
        payload: JSON.stringify({ timestamp: new Date(now).toISOString(), data: TEST_DATA }),
      };
      // Not due: whoever asked for it sends it.
      await ask(
        () =>
          sql`INSERT INTO webhook_deliveries ${sql({
            ...row,
            ...{ state: "waiting", next_at: now + LIMITS.webhookWaitMs },
          })}`,
      );
      const options = { link: () => null, retryMs: [], signal: new AbortController().signal };
      const result = await attemptDelivery(host, { ...row, url, secret }, options);
      await ask(() => noteAttempt(sql, { ...row, url }, result, host.now()));
      await ask(() => trimDeliveries(sql, id, host.now()));
      const sent = (await ask(() => deliveriesOf(sql, id))).find(({ message }) => message === row.message);
      return sent === undefined ? fail("not_found", "The webhook was removed meanwhile.") : deliveryOf(sent);
    },
    async deliveries(name) {
      const row = await ask(() => find(name));
      const deliveries = await ask(() => deliveriesOf(sql, row.id));
      return { webhook: shown(row), deliveries: deliveries.map(deliveryOf) };
    },
    queue: (notice) => ask(() => sql.begin((tx) => queueFleetNotices(tx, [notice], host.now()))),
  };
}

const shown = (row: Row): WebhookRow => ({
  id: row.id,
  name: row.name,
  url: row.url,
  kinds: JSON.parse(row.kinds) as WebhookKind[],
  titles: row.titles,
  enabled: row.enabled,
  local: isLocalUrl(row.url),
  createdAt: new Date(row.created_at).toISOString(),
  waiting: row.waiting,
  last: row.last_state === null ? null : { state: row.last_state, at: new Date(row.last_at!).toISOString() },
});
