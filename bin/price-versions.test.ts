// The table that dollars are worked out by has a version, which the views of a fleet follow: lib/kernel/load/price-versions.ts.
import { createHash } from "node:crypto";
import { waitForUpdate } from "@pydantic/genai-prices";
import { expect, test } from "vitest";
import { priceMark } from "#lib/archive/settings/price-mark.ts";
import type { PriceTable } from "#lib/kernel/host.ts";
import { PRICE_TABLES } from "#lib/kernel/load/price-versions.ts";
import { listedText } from "./listed-prices.ts";
import { priceTable } from "./prices.ts";

/** Of names beside those of the table: other prices of the same models, and spellings. */
const ENDINGS = ["", "-fast", "-us", "-batch", "-fast-us-batch", "-flex", "-priority", "-ultrafast", "[1m]", "-high"];
const NAMED =
  "claude-opus-4-6 claude-opus-5 claude-fable-5-2 claude-haiku-5-5 claude-sonnet-5-5 claude-4.5-sonnet gpt-4o gpt-4o-mini gpt-4.1 gpt-5 gpt-5-mini gpt-5.5 gpt-6-sol gpt-6.1-sol gpt-6.2-astra grok-4.1-fast glm-5.1 qwen3-max deepseek-chat";

/** What a model is found by, and what it costs, as far as a cost hangs on it. */
async function digestOf(prices: PriceTable): Promise<string> {
  const providers = (await waitForUpdate()) ?? [];
  const names = new Set(providers.flatMap(({ id, models }) => models.flatMap((one) => [one.id, `${id}/${one.id}`])));
  for (const name of NAMED.split(" ")) for (const ending of ENDINGS) names.add(name + ending);
  const marks = [...names].toSorted().map((name) => [name, priceMark(prices, name)]);
  const table = providers.map(({ id, provider_match, model_match, fallback_model_providers, models }) => [
    ...[id, provider_match, model_match, fallback_model_providers],
    models.map((one) => [one.id, one.match, one.prices, one.context_window]),
  ]);
  return createHash("sha256")
    .update(JSON.stringify([marks, table, listedText()]))
    .digest("hex")
    .slice(0, 16);
}

test("another price table has another version, so that a fleet works out its costs anew", async () => {
  const digest = await digestOf(priceTable());
  expect(digest, "Prices are others: add this digest to the end of PRICE_TABLES.").toBe(PRICE_TABLES.at(-1));
});
