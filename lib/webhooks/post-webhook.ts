// One message to one webhook. Nothing of the answer is read but its status: a receiver that is late, endless or redirects
// costs a connection for the deadline, and nothing else.
import { LIMITS } from "#lib/kernel/limits.ts";
import { VERSION } from "#lib/kernel/version.ts";
import type { WebhookOutcome, WebhookPost } from "#lib/kernel/webhook-post.ts";
import { signWebhook } from "./sign-webhook.ts";

// Taken before Next starts: it puts a fetch of its own in this place, which caches what pages ask for.
const plainFetch = globalThis.fetch;

/** A receiver may ask for a longer wait, within reason. */
const LONGEST_WAIT_S = 6 * 60 * 60;

export async function postWebhook(post: WebhookPost): Promise<WebhookOutcome> {
  const deadline = AbortSignal.timeout(LIMITS.webhookMs);
  try {
    const response = await plainFetch(post.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": `plimsoll/${VERSION}`,
        "webhook-id": post.id,
        "webhook-timestamp": String(post.timestamp),
        "webhook-signature": signWebhook(post.secret, post.id, post.timestamp, post.body),
      },
      body: post.body,
      redirect: "manual",
      signal: AbortSignal.any([post.signal, deadline]),
    });
    await response.body?.cancel().catch(() => undefined);
    return { status: response.status, error: refusalOf(response.status), waitMs: retryAfter(response) };
  } catch (error) {
    post.signal.throwIfAborted();
    const why = deadline.aborted ? `No answer within ${LIMITS.webhookMs / 1000} s.` : `Not reached (${codeOf(error)}).`;
    return { status: null, error: why, waitMs: null };
  }
}

function refusalOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `Answered with a redirect (${status}), which is not followed.`;
  return `Answered ${status}.`;
}

/** Seconds alone: a date would need its clock and ours to agree. */
function retryAfter(response: Response): number | null {
  const seconds = response.headers.get("retry-after");
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Math.min(Number(seconds), LONGEST_WAIT_S) * 1000 : null;
}

/** A code and no more: an error's own words may hold the address, with what is secret in it. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === "string" && /^[A-Z][A-Z0-9_]{2,60}$/.test(cause.code) ? cause.code : "network error";
}
