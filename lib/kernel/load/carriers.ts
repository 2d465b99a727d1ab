// Which calls carried an item of the ledger, and what it cost in each: the parts that its lifetime in the ledger sums.
import type { SessionLoadFacts } from "./culprits/culprit-types.ts";
import { frameOf, readAt } from "./prompt-frame.ts";
import { tailRate } from "./rates.ts";

/** One call whose prompt held an item. */
export type Carrier = {
  /** Index into the ledger's calls. */
  readonly index: number;
  readonly tokens: number;
  /** Of `tokens`, how many the provider read from its cache. */
  readonly cached: number;
  /** Dollars of the item in this prompt; null where the call has no price. */
  readonly usd: number | null;
};

/** In order of calls; `i` is an index into the ledger's items. Their dollars come to the item's `lifetimeUsd`. */
export function carriersOf(session: SessionLoadFacts, i: number): readonly Carrier[] {
  const frame = frameOf(session);
  const { from, to, tokens } = frame.items[i]!;
  return frame.calls.slice(from, to).map((call, at) => {
    const index = from + at;
    const cached = readAt(frame, i, index);
    const rates = frame.rates[index]!;
    const usd = rates === null ? null : cached * rates.read + (tokens - cached) * tailRate(call, rates);
    return { index, tokens, cached, usd };
  });
}
