// Dollars of a session's input, call by call. What lies in the cache is read; the rest is written to it, or sent uncached
// where the recorded call wrote nothing.
import { freshRate, writeRate } from "../rates.ts";
import type { LedgerCall, RatesOf } from "../ledger-types.ts";

export type Priced = { readonly call: LedgerCall; readonly prompt: number; readonly cached: number };

/** Sums up the dollars of calls that have a price; null when none has. */
export class Bill {
  /** $ that edits of the cached prefix cost. */
  penalty = 0;
  readonly #ratesOf: RatesOf;
  /** Nothing was ever read from a cache: there is none. */
  readonly #hasCache: boolean;
  #usd = 0;
  #calls = 0;

  constructor(ratesOf: RatesOf, hasCache: boolean) {
    this.#ratesOf = ratesOf;
    this.#hasCache = hasCache;
  }

  get usd(): number | null {
    return this.#calls > 0 ? this.#usd : null;
  }

  /** A call of the session, and `again`: how many more calls its prompt was sent with, to read something back. */
  add({ call, prompt, cached }: Priced, again: number, lost: number): void {
    // A call of no tokens costs nothing, whatever its model: agents write down refusals as such.
    if (!call.hasUsage || call.reported === 0) return;
    const rates = this.#ratesOf(call, prompt);
    if (rates === null) return;
    this.#calls += 1;
    const rest = prompt - cached;
    const uncached = call.cacheWrite > 0 ? Math.min(call.uncached, rest) : rest;
    this.#usd += cached * rates.read + uncached * rates.uncached + (rest - uncached) * writeRate(call, rates);
    // The call that reads back comes right before or after: what one sends anew the other finds in the cache.
    this.#usd += again * prompt * (this.#hasCache ? rates.read : rates.uncached);
    this.penalty += lost * (freshRate(call, rates) - rates.read);
  }
}
