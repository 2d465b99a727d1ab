// What a price table has for a model, as one short text: another text, and dollars that were worked out are of an older table.
import { createHash } from "node:crypto";
import { NO_USAGE } from "#lib/kernel/draft.ts";
import type { PriceTable } from "#lib/kernel/host.ts";

/** Prices change by the day and by the hour. The moments stay the same, so that a mark is another by the table alone. */
const MOMENTS = Array.from({ length: 36 }, (_, month) => [2, 12].map((hour) => Date.UTC(2025, month, 1, hour))).flat();
const LONG_PROMPTS = [120_000, 300_000];

export function priceMark(prices: PriceTable, model: string): string {
  const found = [
    ...MOMENTS.map((at) => prices.rates(model, NO_USAGE, at)),
    ...LONG_PROMPTS.map((inputUncached) => prices.rates(model, { ...NO_USAGE, inputUncached }, MOMENTS.at(-1)!)),
  ];
  return createHash("sha256")
    .update(JSON.stringify([prices.window(model), ...found]))
    .digest("hex")
    .slice(0, 16);
}
