// The Idempotency-Key of the request that is being carried out: its row is in the transaction of the request's write, so that a
// process that is killed behind the commit does not carry it out again.
import { AsyncLocalStorage } from "node:async_hooks";
import { command } from "#db/statement.ts";
import type { Rows } from "#db/schema.ts";
import type { Sqlite } from "#db/connection.ts";
import { LIMITS } from "#lib/kernel/limits.ts";

export type KeptAnswer = Omit<Rows["idempotency_keys"], "pk" | "at">;

/** A request with a key. */
export type KeyedRequest = {
  /** Its row as far as it is known before the answer; null while its body still comes. */
  readonly rowOf: () => KeptAnswer | null;
  /** Its answer is in its write's transaction too. */
  isAnswered: boolean;
  /** The session that it wrote to: its answer is kept where that session is. */
  session: string | null;
};

const requests = new AsyncLocalStorage<KeyedRequest>();

export const withRequestKey = <T>(request: KeyedRequest, run: () => T): T => requests.run(request, run);

/** The request that runs here; null where it has no key. */
export const keyedRequest = (): KeyedRequest | null => requests.getStore() ?? null;

/** An answer as its row has it: a long one is remembered as done, without its text. */
export const keptText = (text: string): string | null =>
  Buffer.byteLength(text) > LIMITS.idempotencyAnswerBytes ? null : text;

/** The newest row of a key holds. */
export function saveKey(sqlite: Sqlite, kept: KeptAnswer, now: number): void {
  command(
    sqlite,
    `INSERT OR REPLACE INTO idempotency_keys (principal, key, fingerprint, status, answer, at)
     VALUES (@principal, @key, @fingerprint, @status, @answer, @at)`,
  ).run({ ...kept, at: now });
  command(sqlite, "DELETE FROM idempotency_keys WHERE at <= ? OR pk <= (SELECT max(pk) FROM idempotency_keys) - ?").run(
    now - LIMITS.idempotencyMs,
    LIMITS.idempotencyKeys,
  );
}
