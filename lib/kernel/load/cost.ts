// What each item cost over all the calls that carried it. The provider reads the front of a prompt from its cache: tokens
// that lie before the call's cacheRead cost the read price, those behind it what was paid for the rest of that call.
import { inputRates } from "./prompt-size.ts";
import { inputUsd, tailRate } from "./rates.ts";
import type { Ledger, RatesOf } from "./ledger-types.ts";

export type ItemCost = {
  /** Tokens × calls. */
  readonly lifetimeTokens: number;
  /** Of the calls that have a price; null when no call that carried it has. */
  readonly lifetimeUsd: number | null;
};

export type Costs = {
  /** In the order of the ledger's items. */
  readonly items: readonly ItemCost[];
  /** Dollars of each call's input. */
  readonly calls: readonly (number | null)[];
  /** Items before this index were read from the cache at the call, those behind it were not … */
  readonly cached: Int32Array;
  /** … and of the one at it so many tokens were. */
  readonly cachedPart: Float64Array;
};

/**
 * What was sent anew is a prompt's end: the cached part is what is left before it, so that tokens that were taken out unseen
 * (negative items) do not make new what was read. The items of a call come to what it cost. Items + calls + the items behind
 * each call's cached part.
 */
export function costsOf({ calls, items }: Ledger, ratesOf: RatesOf): Costs {
  const read = new Float64Array(calls.length + 1);
  const priced = new Int32Array(calls.length + 1);
  const extra = new Float64Array(items.length);
  const cached = new Int32Array(calls.length);
  const cachedPart = new Float64Array(calls.length);
  const usd: (number | null)[] = [];
  let resident: number[] = [];
  let leaves = Number.POSITIVE_INFINITY;
  let next = 0;
  for (const [k, call] of calls.entries()) {
    while (next < items.length && items[next]!.from <= k) {
      leaves = Math.min(leaves, items[next]!.to);
      resident.push(next++);
    }
    if (leaves <= k) {
      resident = resident.filter((i) => items[i]!.to > k);
      leaves = resident.reduce((least, i) => Math.min(least, items[i]!.to), Number.POSITIVE_INFINITY);
    }
    const rates = inputRates(call, ratesOf);
    priced[k + 1] = priced[k]! + (rates === null ? 0 : 1);
    read[k + 1] = read[k]! + (rates?.read ?? 0);
    usd.push(rates === null ? null : inputUsd(call, rates));
    cached[k] = next;
    if (!call.hasUsage || call.sum === 0) continue;
    const more = rates === null ? 0 : tailRate(call, rates) - rates.read;
    let tail = call.sum - call.cacheRead;
    for (let at = resident.length - 1; at >= 0 && tail > 0; at--) {
      const i = resident[at]!;
      const fresh = Math.min(items[i]!.tokens, tail);
      extra[i]! += fresh * more;
      cached[k] = i;
      cachedPart[k] = Math.max(0, items[i]!.tokens - fresh);
      tail -= fresh;
    }
  }
  return {
    items: items.map(({ from, to, tokens }, i) => ({
      lifetimeTokens: tokens * (to - from),
      lifetimeUsd: priced[to] === priced[from] ? null : tokens * (read[to]! - read[from]!) + extra[i]!,
    })),
    calls: usd,
    cached,
    cachedPart,
  };
}
