// The rows of webhooks, and the writes that add, change and remove them.
import type { Rows } from "#db/schema.ts";
import { command, query, scalar, select } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { isLocalUrl } from "#lib/kernel/webhook-post.ts";
import type { WebhookKind, WebhookRow } from "#lib/wire/webhooks-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { defineWrite } from "../base/write.ts";

type NewWebhook = Pick<WebhookRow, "id" | "name" | "url" | "kinds" | "titles"> & { readonly secret: string };
type Change = { readonly id: string } & Partial<Omit<NewWebhook, "id"> & { enabled: boolean }>;

/** The webhook of an id or a name. Fails with `not_found`. */
export function findWebhook(archive: Archive, name: string): Rows["webhooks"] {
  const row = query(
    archive.sqlite,
    { "*": "webhooks.*" },
    "FROM webhooks WHERE id = @name OR name = @name ORDER BY id = @name DESC LIMIT 1",
  ).get({ name });
  return row ?? fail("not_found", `There is no webhook "${name.slice(0, 80)}". List them: plimsoll webhook list`);
}

export function webhookOfRow(archive: Archive, row: Rows["webhooks"]): WebhookRow {
  const waiting = scalar(
    archive.sqlite,
    "integer",
    "SELECT count(*) FROM webhook_deliveries WHERE webhook_pk = ? AND state = 'waiting'",
  ).get(row.pk)!;
  const last = select(
    archive.sqlite,
    "webhook_deliveries",
    ["state", "sent_at", "created_at"],
    "WHERE webhook_pk = ? AND state <> 'waiting' ORDER BY coalesce(sent_at, created_at) DESC, pk DESC LIMIT 1",
  ).get(row.pk);
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    kinds: JSON.parse(row.kinds) as WebhookKind[],
    titles: row.titles === 1,
    enabled: row.enabled === 1,
    local: isLocalUrl(row.url),
    createdAt: new Date(row.created_at).toISOString(),
    waiting,
    last:
      last === undefined || last.state === "waiting"
        ? null
        : { state: last.state, at: new Date(last.sent_at ?? last.created_at).toISOString() },
  };
}

function addWebhook(archive: Archive, batch: Batch, input: NewWebhook): WebhookRow {
  const { sqlite } = archive;
  if (scalar(sqlite, "integer", "SELECT count(*) FROM webhooks").get()! >= LIMITS.webhooks)
    fail("conflict", `There are ${LIMITS.webhooks} webhooks, the most there may be. Remove one first.`);
  checkName(archive, input.name, input.id);
  command(
    sqlite,
    `INSERT INTO webhooks (id, name, url, secret, kinds, titles, enabled, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 1, ?)`,
  ).run(input.id, input.name, input.url, input.secret, JSON.stringify(input.kinds), Number(input.titles), batch.now);
  return webhookOfRow(archive, findWebhook(archive, input.id));
}

function changeWebhook(archive: Archive, _batch: Batch, { id, ...change }: Change): WebhookRow {
  const row = findWebhook(archive, id);
  if (change.name !== undefined) checkName(archive, change.name, row.id);
  command(
    archive.sqlite,
    "UPDATE webhooks SET name = ?, url = ?, secret = ?, kinds = ?, titles = ?, enabled = ? WHERE pk = ?",
  ).run(
    change.name ?? row.name,
    change.url ?? row.url,
    change.secret ?? row.secret,
    change.kinds === undefined ? row.kinds : JSON.stringify(change.kinds),
    change.titles === undefined ? row.titles : Number(change.titles),
    change.enabled === undefined ? row.enabled : Number(change.enabled),
    row.pk,
  );
  return webhookOfRow(archive, findWebhook(archive, row.id));
}

/** With its queue and its log. */
function removeWebhook(archive: Archive, _batch: Batch, { id }: { readonly id: string }): WebhookRow {
  const row = findWebhook(archive, id);
  const removed = webhookOfRow(archive, row);
  command(archive.sqlite, "DELETE FROM webhook_deliveries WHERE webhook_pk = ?").run(row.pk);
  command(archive.sqlite, "DELETE FROM webhooks WHERE pk = ?").run(row.pk);
  return removed;
}

function checkName(archive: Archive, name: string, id: string): void {
  if (command(archive.sqlite, "SELECT 1 FROM webhooks WHERE name = ? AND id <> ?").get(name, id) !== undefined)
    fail("conflict", `There is a webhook "${name}" already. Choose another name.`);
}

export const addWebhookWrite = defineWrite("addWebhook", addWebhook, { isWhole: true });
export const changeWebhookWrite = defineWrite("changeWebhook", changeWebhook);
export const removeWebhookWrite = defineWrite("removeWebhook", removeWebhook);
