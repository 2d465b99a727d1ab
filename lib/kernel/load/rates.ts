// What a call is billed at: dollars a token, a search, a request. All that Plimsoll says in dollars is multiplied out here.
import type { Usage } from "../draft.ts";
import type { Rates } from "./ledger-types.ts";

/** $10 a thousand, wherever a table names it. */
export const WEB_SEARCH_USD = 0.01;

/** Providers that sell a one-hour cache ask twice the input price for a write to it; five minutes cost 1.25 times. */
const ONE_HOUR_FACTOR = 2;

type Known = Pick<Rates, "uncached" | "output"> & { readonly [K in keyof Rates]?: Rates[K] | undefined };

/** What is known of a model's rates, with what follows from it. Cached tokens without a rate of their own cost what others do. */
export const completeRates = (known: Known): Rates => ({
  uncached: known.uncached,
  read: known.read ?? known.uncached,
  write: known.write ?? known.uncached,
  write1h: known.write1h ?? known.uncached * ONE_HOUR_FACTOR,
  output: known.output,
  webSearch: known.webSearch ?? WEB_SEARCH_USD,
  request: known.request ?? 0,
  isDerived: known.write1h === undefined || known.isDerived === true,
  isSet: known.isSet ?? false,
});

/** Of a call that another session paid for. */
export const PAID: Rates = { ...completeRates({ uncached: 0, output: 0, webSearch: 0 }), isDerived: false };

/** How a prompt was paid for. */
export type Split = {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
};

/** Dollars of a call's input. */
export const inputUsd = (call: Split, rates: Rates): number =>
  call.uncached * rates.uncached +
  call.cacheRead * rates.read +
  (call.cacheWrite - call.cacheWrite1h) * rates.write +
  call.cacheWrite1h * rates.write1h;

/** Dollars of a call. */
export const usageUsd = (usage: Usage, rates: Rates): number =>
  inputUsd({ ...usage, uncached: usage.inputUncached }, rates) +
  usage.output * rates.output +
  usage.webSearches * rates.webSearch +
  rates.request;

/** $ a token that a call wrote to its cache: five minutes and an hour in the parts that it wrote them in. */
export const writeRate = ({ cacheWrite, cacheWrite1h }: Split, rates: Rates): number =>
  cacheWrite === 0 ? rates.write : rates.write + (cacheWrite1h / cacheWrite) * (rates.write1h - rates.write);

/** What a token that the cache did not hold cost at a call: written to it, or neither read nor written. */
export const freshRate = (call: Split, rates: Rates): number =>
  call.cacheWrite > 0 ? writeRate(call, rates) : rates.uncached;

/** $ a token behind the cached part. */
export function tailRate(call: Split, rates: Rates): number {
  const tail = call.uncached + call.cacheWrite;
  return tail === 0
    ? rates.uncached
    : (call.uncached * rates.uncached + call.cacheWrite * writeRate(call, rates)) / tail;
}
