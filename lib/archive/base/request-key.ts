// The Idempotency-Key of the request that is being carried out: its row is in the transaction of the request's write, so that a
// process that is killed behind the commit does not carry it out again.
import { AsyncLocalStorage } from "node:async_hooks";
import { command } from "#db/statement.ts";
import type { Rows } from "#db/schema.ts";
import type { Sqlite } from "#db/connection.ts";
import { LIMITS } from "#lib/kernel/limits.ts";

export type KeptAnswer = Omit<Rows["idempotency_keys"], "pk" | "at">;

const requests = new AsyncLocalStorage<() => KeptAnswer | null>();

/** Runs a request. `keyOf` gives its row as far as it is known before the answer; null while its body still comes. */
export const withRequestKey = <T>(keyOf: () => KeptAnswer | null, run: () => T): T => requests.run(keyOf, run);

/** The row of the request that runs here; null where it has no key. */
export const requestKey = (): KeptAnswer | null => requests.getStore()?.() ?? null;

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
