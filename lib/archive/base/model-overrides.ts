// Windows and prices that a person set, as they are kept, and the price table of a session with them over it.
import { scalar } from "#db/statement.ts";
import { NO_USAGE } from "#lib/kernel/draft.ts";
import type { PriceTable } from "#lib/kernel/host.ts";
import { modelOverride, overTable, overriddenFor, type ModelOverride } from "#lib/kernel/load/overrides.ts";
import { PAID } from "#lib/kernel/load/rates.ts";
import type { RatesOf } from "#lib/kernel/load/ledger-types.ts";
import type { Archive } from "./archive-type.ts";
import { cached } from "./per-archive.ts";

export const MODELS_SETTING = "models";

/** Read at every use: another thread may have written them. Parsed when the text is another. */
export function overridesOf(archive: Archive): readonly ModelOverride[] {
  const text = scalar(archive.sqlite, "settings.value", "FROM settings WHERE key = ?").get(MODELS_SETTING);
  if (typeof text !== "string") return NONE;
  return cached(archive, "model overrides", text, () => {
    const list = JSON.parse(text) as unknown;
    // What another release wrote and this one does not know is left out, not the whole list.
    return (Array.isArray(list) ? list : []).flatMap((one) => modelOverride.safeParse(one).data ?? []);
  });
}

const NONE: readonly ModelOverride[] = [];

/** The prices and windows that hold for a session that ran in `cwd`: what is set, over the table. */
export const pricesFor = (archive: Archive, cwd: string | null): PriceTable =>
  overTable(archive.host.prices, overridesOf(archive), cwd);

/** The window that a person set for a session, or null. */
export const setWindow = (archive: Archive, model: string | null, cwd: string | null): number | null =>
  overriddenFor(overridesOf(archive), model, cwd).window;

/** What a token costs a session at each of its calls: nothing at those that another session paid for. */
export function ratesOf(archive: Archive, cwd: string | null): RatesOf {
  const rates = listRatesOf(archive, cwd);
  return (call, prompt) => (call.inherited ? PAID : rates(call, prompt));
}

/** What a token cost at each call, whoever paid for it. */
export function listRatesOf(archive: Archive, cwd: string | null): RatesOf {
  const prices = pricesFor(archive, cwd);
  return ({ model, ts, uncached, ...call }, prompt) => {
    if (model === null) return null;
    // Only the prompt's size decides the tier: a prompt that was made smaller is asked for as uncached.
    const isWhole = uncached + call.cacheRead + call.cacheWrite === prompt;
    const { output, reasoning, webSearches } = call;
    const usage = isWhole
      ? { ...call, inputUncached: uncached }
      : { ...NO_USAGE, inputUncached: prompt, output, reasoning, webSearches };
    return prices.rates(model, usage, ts);
  };
}
