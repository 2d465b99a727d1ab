// What a call costs, from the price table that the lockfile pins; nothing is fetched. The table's own arithmetic takes 45 to
// 65 µs a call, a sixth of an import: a model is looked up once, and its calls are multiplied out here.
import { calcPrice } from "@pydantic/genai-prices";
import { promptTokens, type Usage } from "#lib/kernel/draft.ts";
import type { PriceTable } from "#lib/kernel/host.ts";

type Rate =
  | number
  | { readonly base: number; readonly tiers: readonly { readonly start: number; readonly price: number }[] };
type Model = {
  readonly window: number | null;
  /** Null where the price depends on the time, or has a part for each request: the table is asked. */
  readonly rates: { readonly input: Rate; readonly read: Rate; readonly write: Rate; readonly output: Rate } | null;
};

/** Names come from files: a file that names a new model in every line must not fill the memory. */
const REMEMBERED = 500;

export function priceTable(): PriceTable {
  const known = new Map<string, Model | null>();
  const find = (name: string): Model | null => {
    let model = known.get(name);
    if (model !== undefined) return model;
    model = lookUp(name);
    if (known.size >= REMEMBERED) known.clear();
    known.set(name, model);
    return model;
  };
  return {
    usd: (name, usage, at) => {
      const model = find(name);
      if (model === null) return null;
      const { rates } = model;
      if (rates === null) return askTable(name, usage, at);
      const prompt = promptTokens(usage);
      const cost = (rate: Rate, tokens: number): number => (tokens === 0 ? 0 : rateAt(rate, prompt) * tokens);
      const input =
        cost(rates.input, usage.inputUncached) +
        cost(rates.read, usage.cacheRead) +
        cost(rates.write, usage.cacheWrite);
      return (input + cost(rates.output, usage.output)) / 1e6;
    },
    window: (name) => find(name)?.window ?? null,
  };
}

/** A tier's price holds for the whole prompt once it is longer than the tier's start. */
function rateAt(rate: Rate, prompt: number): number {
  if (typeof rate === "number") return rate;
  let price = rate.base;
  for (const tier of rate.tiers) if (prompt > tier.start) price = tier.price;
  return price;
}

function lookUp(name: string): Model | null {
  const found = calcPrice({ input_tokens: 1 }, name);
  if (found === null) return null;
  const window = found.model.context_window ?? null;
  const prices = found.model.prices;
  if (Array.isArray(prices) || "requests_kcount" in prices) return { window, rates: null };
  const {
    input_mtok: input,
    cache_read_mtok: read,
    cache_write_mtok: write,
    output_mtok: output,
  } = prices as {
    readonly [key: string]: Rate | undefined;
  };
  // Cached tokens without a price of their own cost what the others do.
  const rates = { input: input ?? 0, read: read ?? input ?? 0, write: write ?? input ?? 0, output: output ?? 0 };
  return { window, rates };
}

function askTable(name: string, usage: Usage, at: number | null): number | null {
  const tokens = {
    input_tokens: promptTokens(usage),
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    output_tokens: usage.output,
  };
  return calcPrice(tokens, name, at === null ? {} : { timestamp: new Date(at) })?.total_price ?? null;
}
