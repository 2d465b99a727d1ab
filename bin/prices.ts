// What a call is billed at, from the price table that the lockfile pins; nothing is fetched. The table's own arithmetic takes
// 45 to 65 µs a call, a sixth of an import: a model is looked up once, and its calls are multiplied out here.
import { calcPrice } from "@pydantic/genai-prices";
import { listedModel, type ListedModel, type ModelRates } from "./listed-prices.ts";
import { otherSpellings, servedModel } from "./model-names.ts";
import { promptTokens } from "#lib/kernel/draft.ts";
import type { PriceTable } from "#lib/kernel/host.ts";
import { priceTimes, standardModel } from "#lib/kernel/load/model-variants.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import type { Rates } from "#lib/kernel/load/ledger-types.ts";

type Found = NonNullable<ReturnType<typeof calcPrice>>;
type Rate = ModelRates[string] & {};
type Model = {
  readonly window: number | null;
  /** Null where the price depends on the time: the table is asked for each span of `spanMs`, in which it is the same. */
  readonly rates: ModelRates | null;
  /** Of a variant: times the standard price of tokens; null where that is not known. */
  readonly times: number | null;
  /** As the table names it; of one provider where the name of the call says whose. */
  readonly name: string;
  readonly provider: { readonly providerId: string } | undefined;
  readonly spanMs: number;
  /** What its provider's page says, where that is not what the table has. */
  readonly listed: ListedModel | null;
  span: { readonly start: number; readonly rates: ModelRates | null } | null;
};

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Names come from files: a file that names a new model in every line must not fill the memory. */
const REMEMBERED = 500;

export function priceTable(): PriceTable {
  const known = new Map<string, Model | null>();
  const modelOf = (name: string): Model | null => {
    let model = known.get(name);
    if (model !== undefined) return model;
    model = lookUp(name);
    if (known.size >= REMEMBERED) known.clear();
    known.set(name, model);
    return model;
  };
  return {
    rates: (name, usage, at) => {
      const model = modelOf(name);
      if (model === null || model.times === null) return null;
      const rates = model.rates ?? ratesAt(model, at);
      return rates === null ? null : ratesFor(rates, promptTokens(usage), model.times);
    },
    window: (name) => modelOf(name)?.window ?? null,
  };
}

function ratesFor(rates: ModelRates, prompt: number, times: number): Rates {
  const of = (name: string, thousands = 1000): number | undefined => {
    const rate = rates[name];
    // A search costs the same in each variant.
    const factor = thousands === 1000 ? times : 1;
    return rate === undefined ? undefined : (rateAt(rate, prompt) * factor) / (thousands * 1000);
  };
  return completeRates({
    uncached: of("input_mtok") ?? 0,
    read: of("cache_read_mtok"),
    write: of("cache_write_mtok"),
    write1h: of("cache_write_1h_mtok"),
    output: of("output_mtok") ?? 0,
    webSearch: of("web_searches_kcount", 1),
    request: of("requests_kcount", 1),
  });
}

/** A tier's price holds for the whole prompt once it is longer than the tier's start. */
function rateAt(rate: Rate, prompt: number): number {
  if (typeof rate === "number") return rate;
  let price = rate.base;
  for (const tier of rate.tiers) if (prompt > tier.start) price = tier.price;
  return price;
}

/** `openrouter/anthropic/claude-…` has two; a file may name any number. */
const MOST_PROVIDERS = 3;

/** A page's price first, under any spelling: the table takes `claude-sonnet-5-5[1m]` for Sonnet 5. */
function lookUp(name: string): Model | null {
  const found = [name, ...otherSpellings(name)].map(lookUpAs).filter((model) => model !== null);
  return found.find(({ listed }) => listed !== null) ?? found[0] ?? null;
}

function lookUpAs(name: string): Model | null {
  // The table finds it for whom it knows to be the provider alone.
  const bare = find(name, name === "codex-mini-latest" ? "openai" : null);
  if (bare !== null) return bare;
  let served = servedModel(name);
  for (let n = 0; n < MOST_PROVIDERS && served !== null; n++) {
    // A proxy of many makers' models may have it under its own name, or its maker has.
    const found = find(served.name, served.provider) ?? find(served.name, null);
    if (found !== null) return found;
    served = servedModel(served.name);
  }
  return null;
}

function find(called: string, providerId: string | null): Model | null {
  const name = standardModel(called) ?? called;
  const times = priceTimes(called);
  const provider = providerId === null ? undefined : { providerId };
  const found = priceOf(name, provider);
  const listed = listedModel(name, providerId);
  if (listed !== null) {
    const { window, isHourly } = listed;
    return { window, times, name, provider, listed, rates: null, spanMs: isHourly ? MINUTE_MS : DAY_MS, span: null };
  }
  if (found === null) return null;
  const { id, prices, context_window: window = null } = found.model;
  const of = { window, times, name, provider, listed, span: null };
  if (!Array.isArray(prices)) return { ...of, rates: withTier(id, prices as ModelRates), spanMs: DAY_MS };
  const isHourly = prices.some(({ constraint }) => constraint !== undefined && constraint.type !== "start_date");
  return { ...of, rates: null, spanMs: isHourly ? MINUTE_MS : DAY_MS };
}

/** The table matches beginnings: `claude-sonnet-5-6` is no Sonnet 5, and what it costs is not known yet. `-05-20` is a day, `-08-2024` a month. */
const LATER_VERSION = /^[-.]\d{1,2}(?![\da-z]|-(?:20)?\d\d(?!\d))/i;

function priceOf(name: string, provider: Model["provider"], timestamp?: Date): Found | null {
  const found = calcPrice({ input_tokens: 1 }, name, { ...provider, timestamp });
  if (found === null || !name.startsWith(found.model.id)) return found;
  return LATER_VERSION.test(name.slice(found.model.id.length)) ? null : found;
}

/** Tiers that the table lacks: Anthropic's page of 2025 has prompts of Sonnet 4 over 200,000 tokens at twice the price, their answers at $22.50. */
const TIERS: Readonly<Record<string, { readonly start: number; readonly prompt: number; readonly output: number }>> = {
  "claude-sonnet-4-0": { start: 200_000, prompt: 2, output: 1.5 },
};

function withTier(id: string, rates: ModelRates): ModelRates {
  const tier = TIERS[id];
  if (tier === undefined) return rates;
  return Object.fromEntries(
    Object.entries(rates).map(([name, rate]) => {
      if (typeof rate !== "number" || !name.endsWith("_mtok")) return [name, rate];
      const price = rate * (name === "output_mtok" ? tier.output : tier.prompt);
      return [name, { base: rate, tiers: [{ start: tier.start, price }] }];
    }),
  );
}

/** The prices in force at `at`, of a model whose price changes with the date or the hour (Opus 4.6, DeepSeek). */
function ratesAt(model: Model, at: number | null): ModelRates | null {
  const time = at ?? Date.now();
  const start = time - (time % model.spanMs);
  if (model.span?.start === start) return model.span.rates;
  const rates = model.listed?.at(time) ?? tableAt(model, time);
  model.span = { start, rates };
  return rates;
}

function tableAt({ name, provider }: Model, time: number): ModelRates | null {
  const found = priceOf(name, provider, new Date(time));
  return found === null ? null : (found.model_price as ModelRates);
}
