// Webhooks. What leaves this machine, and where to, is a person's to say, not an agent's.
import { z } from "zod";
import {
  addWebhook,
  changeWebhook,
  listWebhooks,
  readDeliveries,
  removeWebhook,
  testWebhook,
} from "#lib/archive/settings/webhooks.ts";
import {
  addWebhookRequest,
  changeWebhookRequest,
  deliveriesAnswer,
  savedWebhook,
  webhookDelivery,
  webhookRow,
  webhooksAnswer,
} from "#lib/wire/webhooks-schema.ts";
import { del, get, post, put } from "../endpoint.ts";
import { webhookParams } from "../params.ts";

export const webhookEndpoints = [
  get("/api/webhooks", {
    auth: "browser",
    answer: webhooksAnswer,
    run: ({ archive }) => ({ webhooks: listWebhooks(archive) }),
  }),
  /** The answer holds the secret: it is shown this once. */
  post("/api/webhooks", {
    auth: "browser",
    body: addWebhookRequest,
    answer: savedWebhook,
    status: 201,
    isSecret: true,
    run: ({ archive, body }) => addWebhook(archive, body),
  }),
  put("/api/webhooks/:id", {
    auth: "browser",
    params: webhookParams,
    body: changeWebhookRequest,
    answer: savedWebhook,
    isSecret: true,
    run: async ({ app, archive, params, body }) => {
      const saved = await changeWebhook(archive, params.id, body);
      // Whoever sends hears of it: what waits may go on now, or must not.
      app.changes.publish({ type: "sessions" });
      return saved;
    },
  }),
  del("/api/webhooks/:id", {
    auth: "browser",
    params: webhookParams,
    body: z.strictObject({}),
    answer: webhookRow,
    run: async ({ app, archive, params }) => {
      const removed = await removeWebhook(archive, params.id);
      app.changes.publish({ type: "sessions" });
      return removed;
    },
  }),
  post("/api/webhooks/:id/test", {
    auth: "browser",
    params: webhookParams,
    body: z.strictObject({}),
    answer: webhookDelivery,
    run: ({ archive, params }) => testWebhook(archive, params.id),
  }),
  get("/api/webhooks/:id/deliveries", {
    auth: "browser",
    params: webhookParams,
    answer: deliveriesAnswer,
    run: ({ archive, params }) => readDeliveries(archive, params.id),
  }),
];
