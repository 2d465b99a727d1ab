import { beyondWords, inheritedWords, originWords, reportedNotes, spendWords } from "#lib/kernel/load/cost-words.ts";
import { NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import type { Cost } from "#lib/wire/cost-schema.ts";
import { plain } from "./print.ts";

/** `≥ $7.98 + $103.57 inherited, list price. 132 of 321 calls have no price (…).` */
export function costLine(cost: Cost): string {
  const words = [spendWords(cost) ?? NO_PRICE, inheritedWords(cost), beyondWords(cost)].filter(Boolean).join(" ");
  return [`${words}, ${originWords(cost)}.`, ...cost.atLeast, ...cost.notes, ...reportedNotes(cost)]
    .map(plain)
    .join(" ");
}
