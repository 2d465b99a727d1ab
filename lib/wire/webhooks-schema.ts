// Webhooks: addresses that a person chose, and what is sent to each. A secret is in the answer that made it and in no other.
import { z } from "zod";

export const WEBHOOK_KINDS = ["near", "refused", "compacted", "finished", "budget"] as const;
export const webhookKind = z.enum(WEBHOOK_KINDS);
export type WebhookKind = z.infer<typeof webhookKind>;

const name = z.string().trim().min(1).max(80);
const url = z.string().min(1).max(2000);
const kinds = z
  .array(webhookKind)
  .min(1, "choose at least one")
  .transform((given) => WEBHOOK_KINDS.filter((kind) => given.includes(kind)));
/** As the Standard Webhooks specification writes it: 24 to 64 bytes. */
const secret = z.string().regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, "is not whsec_ and 24 to 64 bytes in base64");

export const addWebhookRequest = z.strictObject({
  name,
  url,
  kinds,
  /** Made here where none is given. */
  secret: secret.optional(),
  /** Session titles are sent too; when absent, to this machine alone. */
  titles: z.boolean().optional(),
});
export type AddWebhookRequest = z.input<typeof addWebhookRequest>;

/** What is absent stays as it is. */
export const changeWebhookRequest = z.strictObject({
  name: name.optional(),
  url: url.optional(),
  kinds: kinds.optional(),
  titles: z.boolean().optional(),
  enabled: z.boolean().optional(),
  /** Makes another secret; the old one ends at once. */
  newSecret: z.literal(true).optional(),
});
export type ChangeWebhookRequest = z.input<typeof changeWebhookRequest>;

export const webhookRow = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  kinds: z.array(webhookKind),
  titles: z.boolean(),
  enabled: z.boolean(),
  /** False: what is sent leaves this machine. */
  local: z.boolean(),
  createdAt: z.string(),
  /** Messages that wait to be sent. */
  waiting: z.number(),
  /** Its last message that was delivered, or failed for good. */
  last: z.object({ state: z.enum(["delivered", "failed"]), at: z.string() }).nullable(),
});
export type WebhookRow = z.infer<typeof webhookRow>;

export const webhooksAnswer = z.object({ webhooks: z.array(webhookRow) });

/** `secret`: the new one, shown this once; null where it did not change. */
export const savedWebhook = webhookRow.extend({ secret: z.string().nullable() });
export type SavedWebhook = z.infer<typeof savedWebhook>;

export const webhookDelivery = z.object({
  /** The `webhook-id` that it is sent with. */
  id: z.string(),
  type: z.string(),
  session: z.string().nullable(),
  state: z.enum(["waiting", "delivered", "failed"]),
  attempts: z.number(),
  /** HTTP status of the last attempt; null where none came. */
  status: z.number().nullable(),
  /** Why the last attempt failed. */
  error: z.string().nullable(),
  createdAt: z.string(),
  sentAt: z.string().nullable(),
  /** Of one that waits: when it is sent. */
  nextAt: z.string().nullable(),
});
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

export const deliveriesAnswer = z.object({ webhook: webhookRow, deliveries: z.array(webhookDelivery) });
export type DeliveriesAnswer = z.infer<typeof deliveriesAnswer>;

/** A webhook by its id or its name. */
export const namedWebhook = z.strictObject({ webhook: z.string().min(1).max(200) });
