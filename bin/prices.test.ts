import { calcPrice, waitForUpdate } from "@pydantic/genai-prices";
import fc from "fast-check";
import { expect, test } from "vitest";
import { priceTable } from "./prices.ts";

const tokens = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 900_000 }));

test("every model of the table costs what the table says", async () => {
  const providers = await waitForUpdate();
  const names = [...new Set((providers ?? []).flatMap((provider) => provider.models.map((model) => model.id)))];
  expect(names.length).toBeGreaterThan(300);
  const prices = priceTable();
  fc.assert(
    fc.property(
      fc.record({ inputUncached: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens }),
      fc.shuffledSubarray(names, { minLength: 40, maxLength: 40 }),
      (usage, some) => {
        for (const name of some) {
          const table = calcPrice(
            {
              input_tokens: usage.inputUncached + usage.cacheRead + usage.cacheWrite,
              cache_read_tokens: usage.cacheRead,
              cache_write_tokens: usage.cacheWrite,
              output_tokens: usage.output,
            },
            name,
            { timestamp: new Date(1_780_000_000_000) },
          );
          const ours = prices.usd(name, { ...usage, reasoning: 0 }, 1_780_000_000_000);
          if (table === null) expect(ours, name).toBeNull();
          else expect(Math.abs(ours! - table.total_price), name).toBeLessThanOrEqual(table.total_price * 1e-12);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("a model that the table does not know has neither price nor window", () => {
  const prices = priceTable();
  const usage = { inputUncached: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 };
  expect(prices.usd("no-such-model-anywhere", usage, null)).toBeNull();
  expect(prices.window("no-such-model-anywhere")).toBeNull();
});
