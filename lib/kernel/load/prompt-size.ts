import type { LedgerCallInput, Rates, RatesOf } from "./ledger-types.ts";

/** Tokens of a call's prompt: everything that was sent, never what came back. */
export const promptOf = (call: LedgerCallInput): number => call.uncached + call.cacheRead + call.cacheWrite;

/** Null for a call without usage; a prompt of no tokens says nothing, and is passed over. */
export const measuredPrompt = (call: LedgerCallInput): number | null =>
  call.hasUsage && promptOf(call) > 0 ? promptOf(call) : null;

/** Rates of a call's input; null without a price, and where no prompt was measured: what was not counted has no dollars. */
export function inputRates(call: LedgerCallInput, ratesOf: RatesOf): Rates | null {
  const prompt = measuredPrompt(call);
  return prompt === null ? null : ratesOf(call, prompt);
}
