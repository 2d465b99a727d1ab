// How a weight on the ledger's scale is known, in the three words that every page has for it.
import type { LedgerItem } from "./ledger-types.ts";

export type WeightOrigin = "reported" | "counted" | "estimated";

/**
 * `reported`: the provider's numbers leave one value. `counted`: a tokenizer's count, brought to the provider's scale, and
 * the prompt's growth confirms it within 10 %. `estimated`: everything else, also a count that nothing confirms.
 * `isCounted`: a tokenizer counted the prompts as well, and no provider said anything.
 */
export function originOf({ grade, basis }: Pick<LedgerItem, "grade" | "basis">, isCounted = false): WeightOrigin {
  if (grade === "exact") return isCounted ? "counted" : "reported";
  return grade === "tight" && basis !== "estimated" ? "counted" : "estimated";
}

/** A sum is known as well as its least known part. */
export const leastKnown = (origins: readonly WeightOrigin[]): WeightOrigin =>
  origins.includes("estimated") ? "estimated" : origins.includes("counted") ? "counted" : "reported";
