// An append that the database does not answer holds up all other writes of its node: it is waited for so long, and no longer.
import { setTimeout } from "node:timers/promises";
import { fail } from "#lib/kernel/errors.ts";

/** Fails with `timeout` where it is not done at a moment of performance.now(). */
export async function inTime<T>(end: number, run: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = setTimeout(Math.max(1, end - performance.now()), null, { signal: stop.signal }).then(() =>
    fail(
      "timeout",
      "The fleet's database does not answer. Nothing was acknowledged; send the request again. Cached sessions open.",
    ),
  );
  late.catch(() => undefined);
  try {
    return await Promise.race([run(), late]);
  } finally {
    stop.abort();
  }
}
