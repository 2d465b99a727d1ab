// What a call costs, from the price table that the lockfile pins; nothing is fetched. The table's own arithmetic takes 45 to
// 65 µs a call, a sixth of an import: a model is looked up once, and its calls are multiplied out here.
import { calcPrice } from "@pydantic/genai-prices";
import { promptTokens, type Usage } from "#lib/kernel/draft.ts";
import type { PriceTable } from "#lib/kernel/host.ts";
import type { Rates } from "#lib/kernel/load/types.ts";

type Rate =
  | number
  | { readonly base: number; readonly tiers: readonly { readonly start: number; readonly price: number }[] };
/** In dollars a million tokens. */
type ModelRates = { readonly input: Rate; readonly read: Rate; readonly write: Rate; readonly output: Rate };
type Model = {
  readonly window: number | null;
  /** Null where the price depends on the time, or has a part for each request: the table is asked. */
  readonly rates: ModelRates | null;
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
    rates: (name, usage, at) => {
      const model = find(name);
      if (model === null) return null;
      const rates = model.rates ?? askRates(name, at);
      return rates === null ? null : tokenRates(rates, promptTokens(usage));
    },
    window: (name) => find(name)?.window ?? null,
  };
}

const tokenRates = (rates: ModelRates, prompt: number): Rates => ({
  uncached: rateAt(rates.input, prompt) / 1e6,
  read: rateAt(rates.read, prompt) / 1e6,
  write: rateAt(rates.write, prompt) / 1e6,
  output: rateAt(rates.output, prompt) / 1e6,
});

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
  return { window, rates: ratesIn(prices) };
}

/** Cached tokens without a price of their own cost what the others do. */
function ratesIn(prices: object): ModelRates {
  const {
    input_mtok: input,
    cache_read_mtok: read,
    cache_write_mtok: write,
    output_mtok: output,
  } = prices as { readonly [key: string]: Rate | undefined };
  return { input: input ?? 0, read: read ?? input ?? 0, write: write ?? input ?? 0, output: output ?? 0 };
}

/**
 * Of a model whose price changes with the date or the hour (Opus 4.6, DeepSeek): the prices in force at `at`. Of one that
 * also takes a fee for each request (Sonar): its token prices.
 */
function askRates(name: string, at: number | null): ModelRates | null {
  const found = calcPrice({ input_tokens: 1 }, name, whenOf(at));
  return found === null ? null : ratesIn(found.model_price);
}

const whenOf = (at: number | null): { timestamp?: Date } => (at === null ? {} : { timestamp: new Date(at) });

function askTable(name: string, usage: Usage, at: number | null): number | null {
  const tokens = {
    input_tokens: promptTokens(usage),
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    output_tokens: usage.output,
  };
  return calcPrice(tokens, name, whenOf(at))?.total_price ?? null;
}
