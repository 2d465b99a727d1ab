// Signatures as the Standard Webhooks specification has them, so that any of its libraries verifies ours.
import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

/** `webhook-signature` of a message: version 1, HMAC-SHA256 of `id.timestamp.body`. */
export function signWebhook(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}
