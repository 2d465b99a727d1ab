// What the providers ask for, in dollars a million tokens, as their price pages said on 22 November 2026. Written here once more,
// and not read from the table that Plimsoll uses: a wrong price in it is to be found.
import type { ChargedUsage } from "./script-types.ts";

type Price = Readonly<Record<Exclude<keyof ChargedUsage, "reasoning">, number>>;

const PRICES: Readonly<Record<string, Price>> = {
  "claude-opus-5-5": { uncached: 4, cacheRead: 0.2, cacheWrite5m: 5, cacheWrite1h: 8, output: 20 },
  // Prompts up to 200,000 tokens.
  "gemini-2.5-pro": { uncached: 1.25, cacheRead: 0.125, cacheWrite5m: 0, cacheWrite1h: 0, output: 10 },
  // Prompts below 272,000 tokens.
  "gpt-5.5": { uncached: 5, cacheRead: 0.5, cacheWrite5m: 0, cacheWrite1h: 0, output: 30 },
};

/** Dollars of a call; null for a model whose price is not written here. */
export function listPrice(model: string, usage: ChargedUsage): number | null {
  const price = PRICES[model];
  if (price === undefined) return null;
  const kinds = Object.keys(price) as (keyof Price)[];
  return kinds.reduce((sum, kind) => sum + usage[kind] * price[kind], 0) / 1_000_000;
}
