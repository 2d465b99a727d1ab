// Webhooks: what a person asks of them. Only what was saved here is ever sent to.
import { randomBytes } from "node:crypto";
import type { z } from "zod";
import { query } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import { isLocalUrl, webhookUrl } from "#lib/kernel/webhook-post.ts";
import {
  addWebhookRequest,
  changeWebhookRequest,
  type AddWebhookRequest,
  type ChangeWebhookRequest,
  type DeliveriesAnswer,
  type SavedWebhook,
  type WebhookDelivery,
  type WebhookRow,
} from "#lib/wire/webhooks-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { write } from "../base/write.ts";
import { sendDelivery } from "./send-delivery.ts";
import { deliveryByPk, listDeliveries, queueTestWrite } from "./webhook-queue.ts";
import { addWebhookWrite, changeWebhookWrite, findWebhook, removeWebhookWrite, webhookOfRow } from "./webhook-rows.ts";

const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** The command line comes here without a door that checks. */
function read<T>(schema: z.ZodType<T>, request: unknown): T {
  const result = schema.safeParse(request);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  return fail("invalid", `This webhook cannot be saved. ${issue?.path.join(".") ?? "It"}: ${issue?.message}.`);
}

export function listWebhooks(archive: Archive): WebhookRow[] {
  const rows = query(archive.sqlite, { "*": "webhooks.*" }, "FROM webhooks ORDER BY name").all();
  return rows.map((row) => webhookOfRow(archive, row));
}

/** Its secret is in this answer and in no other. */
export async function addWebhook(archive: Archive, request: AddWebhookRequest): Promise<SavedWebhook> {
  const input = newWebhook(request);
  return { ...(await write(archive, addWebhookWrite, input)), secret: input.secret };
}

/** What a request to add one asks for, with its id and its secret. */
export function newWebhook(request: AddWebhookRequest) {
  const { secret = newSecret(), titles, ...rest } = read(addWebhookRequest, request);
  const url = webhookUrl(rest.url);
  const id = `w_${randomBytes(6).toString("hex")}`;
  return { ...rest, id, url, secret, titles: titles ?? isLocalUrl(url) };
}

export async function changeWebhook(
  archive: Archive,
  id: string,
  request: ChangeWebhookRequest,
): Promise<SavedWebhook> {
  const change = webhookChange(request);
  return { ...(await write(archive, changeWebhookWrite, { ...change, id })), secret: change.secret ?? null };
}

/** What a request to change one changes; with another secret where it asks for that. */
export function webhookChange(request: ChangeWebhookRequest) {
  const { newSecret: isNew, url, ...rest } = read(changeWebhookRequest, request);
  return {
    ...rest,
    ...(url !== undefined && { url: webhookUrl(url) }),
    ...(isNew === true && { secret: newSecret() }),
  };
}

export const newMessage = (): string => `msg_${randomBytes(12).toString("hex")}`;

/** Removes it with all that waits for it. */
export const removeWebhook = async (archive: Archive, id: string): Promise<WebhookRow> =>
  write(archive, removeWebhookWrite, { id });

export function readDeliveries(archive: Archive, id: string): DeliveriesAnswer {
  const row = findWebhook(archive, id);
  return { webhook: webhookOfRow(archive, row), deliveries: listDeliveries(archive, row.pk) };
}

/** Sends a test, once, whether the webhook is on or off; what came of it. */
export async function testWebhook(archive: Archive, id: string): Promise<WebhookDelivery> {
  const { pk: webhook } = findWebhook(archive, id);
  const message = newMessage();
  const pk = await write(archive, queueTestWrite, { id, message });
  const row = deliveryByPk(archive, pk) ?? fail("not_found", "The webhook was removed meanwhile.");
  await sendDelivery(archive, row, { link: () => null, retryMs: [], signal: new AbortController().signal });
  const sent = listDeliveries(archive, webhook).find((one) => one.id === message);
  return sent ?? fail("not_found", "The webhook was removed meanwhile.");
}
