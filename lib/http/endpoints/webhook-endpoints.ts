// Webhooks: of this machine, or at a node of its fleet. What leaves, and where to, is a person's to say, not an agent's.
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
import { askedBy } from "../fleet-admission.ts";
import { webhookParams } from "../params.ts";

export const webhookEndpoints = [
  get("/api/webhooks", {
    auth: "human",
    answer: webhooksAnswer,
    run: async ({ app, archive }) => ({ webhooks: (await app.fleet?.webhooks.list()) ?? listWebhooks(archive) }),
  }),
  /** The answer holds the secret: it is shown this once. */
  post("/api/webhooks", {
    auth: "human",
    body: addWebhookRequest,
    answer: savedWebhook,
    status: 201,
    isSecret: true,
    run: ({ app, archive, body }) => app.fleet?.webhooks.add(body) ?? addWebhook(archive, body),
  }),
  put("/api/webhooks/:id", {
    auth: "human",
    params: webhookParams,
    body: changeWebhookRequest,
    answer: savedWebhook,
    isSecret: true,
    run: async ({ app, archive, params, body }) => {
      const saved = await (app.fleet?.webhooks.change(params.id, body) ?? changeWebhook(archive, params.id, body));
      // Whoever sends hears of it: what waits may go on now, or must not.
      app.changes.publish({ type: "sessions" });
      return saved;
    },
  }),
  del("/api/webhooks/:id", {
    auth: "human",
    params: webhookParams,
    body: z.strictObject({}),
    answer: webhookRow,
    run: async ({ app, archive, params, principal, request }) => {
      const by = askedBy({ principal, request });
      const removed = await (app.fleet?.webhooks.remove(params.id, by) ?? removeWebhook(archive, params.id));
      app.changes.publish({ type: "sessions" });
      return removed;
    },
  }),
  post("/api/webhooks/:id/test", {
    auth: "human",
    params: webhookParams,
    body: z.strictObject({}),
    answer: webhookDelivery,
    run: ({ app, archive, params }) => app.fleet?.webhooks.test(params.id) ?? testWebhook(archive, params.id),
  }),
  get("/api/webhooks/:id/deliveries", {
    auth: "human",
    params: webhookParams,
    answer: deliveriesAnswer,
    run: ({ app, archive, params }) => app.fleet?.webhooks.deliveries(params.id) ?? readDeliveries(archive, params.id),
  }),
];
