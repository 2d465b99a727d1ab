// Webhooks that an earlier version kept in a node's own archive become the fleet's. With its secret goes its queue: nothing that waits is
// lost. Another node may have the same address: it is sent to once.
import { query } from "#db/statement.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { write } from "#lib/archive/base/write.ts";
import { removeWebhookWrite } from "#lib/archive/settings/webhook-rows.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { Fleet } from "../open-fleet.ts";
import { lockWebhooks } from "./fleet-webhooks.ts";

/** What cannot be taken over now is taken over at the next start. */
export async function adoptWebhooks({ sql, ask }: Fleet, archive: Archive): Promise<void> {
  for (const row of query(archive.sqlite, { "*": "webhooks.*" }, "FROM webhooks ORDER BY pk").all()) {
    const { id, name, url, secret, kinds, created_at } = row;
    const waiting = query(
      archive.sqlite,
      { "*": "webhook_deliveries.*" },
      "FROM webhook_deliveries WHERE webhook_pk = ? AND state = 'waiting' AND type <> 'test' ORDER BY pk",
    ).all(row.pk);
    try {
      await ask(() =>
        sql.begin(async (tx) => {
          await lockWebhooks(tx);
          await tx`INSERT INTO webhooks (id, name, url, secret, kinds, titles, enabled, created_at)
            SELECT ${id}, CASE WHEN EXISTS (SELECT 1 FROM webhooks WHERE name = ${name}) THEN ${`${name} ${id}`} ELSE ${name} END,
              ${url}, ${secret}, ${kinds}, ${row.titles === 1}, ${row.enabled === 1}, ${created_at}
            WHERE NOT EXISTS (SELECT 1 FROM webhooks WHERE url = ${url}) ON CONFLICT (id) DO NOTHING`;
          const [hook] =
            await tx`SELECT id FROM webhooks WHERE id = ${id} OR url = ${url} ORDER BY id = ${id} DESC LIMIT 1`;
          for (const { webhook_pk: _, pk: __, ...delivery } of waiting)
            await tx`INSERT INTO webhook_deliveries ${tx({ ...delivery, webhook: hook!.id })} ON CONFLICT DO NOTHING`;
        }),
      );
      await write(archive, removeWebhookWrite, { id });
    } catch (error) {
      console.error(`The webhook ${name} was not taken over:`, isAppError(error) ? error.message : error);
    }
  }
}
