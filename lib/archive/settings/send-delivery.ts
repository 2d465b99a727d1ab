// One attempt at a message: its body, the request, and what is written about it.
import type { Host } from "#lib/kernel/host.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Archive } from "../base/archive-type.ts";
import { write } from "../base/write.ts";
import { noteAttemptWrite, type Attempt, type DueDelivery } from "./webhook-queue.ts";

export type SendOptions = {
  /** The page of a session on the server that runs now; null where none does. */
  link(session: string): string | null;
  /** How long is waited after each attempt that failed; no more attempts than these and the first. */
  readonly retryMs: readonly number[];
  readonly signal: AbortSignal;
};

const GONE = 410;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Waits between attempts: some eleven hours, with those of a receiver that is restarted at the beginning. */
export const RETRY_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
];

/** A message as it waits, in an archive or in the database of a fleet. */
export type Sendable = Pick<
  DueDelivery,
  "url" | "secret" | "message" | "type" | "session" | "payload" | "attempts" | "created_at"
>;

export type AttemptResult = Pick<Attempt, "status" | "error" | "nextAt" | "isGone">;

export async function sendDelivery(archive: Archive, row: DueDelivery, options: SendOptions): Promise<void> {
  await write(archive, noteAttemptWrite, {
    pk: row.pk,
    url: row.url,
    ...(await attemptDelivery(archive.host, row, options)),
  });
}

/** Rejects when the signal aborts before an answer: the message then waits as before. */
export async function attemptDelivery(host: Host, row: Sendable, options: SendOptions): Promise<AttemptResult> {
  const outcome = (await host.postWebhook?.({
    url: row.url,
    secret: row.secret,
    id: row.message,
    timestamp: Math.floor(host.now() / 1000),
    body: bodyOf(row, options),
    signal: options.signal,
  })) ?? { status: null, error: "Nothing can be sent from here.", waitMs: null };
  const isGone = outcome.status === GONE;
  const wait = isGone ? undefined : options.retryMs[row.attempts];
  const nextAt = wait === undefined ? null : host.now() + Math.max(wait, outcome.waitMs ?? 0);
  const isLate = nextAt !== null && nextAt > row.created_at + LIMITS.webhookWaitMs;
  return {
    status: outcome.status,
    error: isGone ? "Answered 410: gone. The webhook is now off." : outcome.error,
    nextAt: isLate ? null : nextAt,
    isGone,
  };
}

function bodyOf(row: Sendable, { link }: SendOptions): string {
  const { timestamp, data } = JSON.parse(row.payload) as { timestamp: string; data: object };
  const linked = row.session === null ? data : { ...data, link: link(row.session) };
  return JSON.stringify({ type: row.type, timestamp, data: linked });
}
