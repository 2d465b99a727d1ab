// What is sent to a webhook, and which addresses may be chosen. Nothing here connects; lib/webhooks does, for the addresses
// that a person saved.
import { fail } from "./errors.ts";
import { baseUrlProblem, isLoopback } from "./model-endpoint.ts";

export type WebhookPost = {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  /** The same at each attempt: a receiver knows by it what it had already. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
  readonly signal: AbortSignal;
};

/** `status`: null where no answer came. `error`: null where it was taken. */
export type WebhookOutcome = {
  readonly status: number | null;
  readonly error: string | null;
  /** What the receiver asks to wait (milliseconds). */
  readonly waitMs: number | null;
};

/** Sends once. Rejects when the signal aborts, and for nothing else. */
export type PostWebhook = (post: WebhookPost) => Promise<WebhookOutcome>;

/** The address as it is asked. Fails with `invalid`. */
export function webhookUrl(text: string): string {
  const [base = "", query] = text.trim().split(/\?(.*)/s);
  const problem =
    query !== undefined && !/^[!"$-~]*$/.test(query)
      ? "Remove spaces and # from what follows the question mark."
      : baseUrlProblem(base);
  if (problem !== null)
    fail("invalid", `The webhook's address cannot be used. ${problem.replace(" Use the key field.", "")}`);
  return new URL(text.trim()).href;
}

/** What is sent there stays on this machine. */
export const isLocalUrl = (url: string): boolean => isLoopback(new URL(url).hostname);
