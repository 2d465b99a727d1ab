import { calcPrice, waitForUpdate } from "@pydantic/genai-prices";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_USAGE } from "#lib/kernel/draft.ts";
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
          const ours = prices.usd(name, { ...NO_USAGE, ...usage }, 1_780_000_000_000);
          if (table === null) expect(ours, name).toBeNull();
          else expect(Math.abs(ours! - table.total_price), name).toBeLessThanOrEqual(table.total_price * 1e-12);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("what a token costs multiplies out to what the call costs, but for a fee for the request", async () => {
  const providers = await waitForUpdate();
  const models = (providers ?? []).flatMap((provider) => provider.models);
  const names = [...new Set(models.map((model) => model.id))];
  const prices = priceTable();
  let priced = 0;
  fc.assert(
    fc.property(
      fc.record({ inputUncached: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens }),
      fc.shuffledSubarray(names, { minLength: 40, maxLength: 40 }),
      fc.integer({ min: 1_735_689_600_000, max: 1_798_761_600_000 }),
      (some, subset, at) => {
        const usage = { ...NO_USAGE, ...some };
        for (const name of subset) {
          const rates = prices.rates(name, usage, at);
          const usd = prices.usd(name, usage, at);
          expect(rates === null, name).toBe(usd === null);
          if (rates === null || usd === null) continue;
          const sum =
            rates.uncached * usage.inputUncached +
            rates.read * usage.cacheRead +
            rates.write * usage.cacheWrite +
            rates.output * usage.output;
          const fee = prices.usd(name, { ...usage, inputUncached: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, at) ?? 0;
          expect(Math.abs(sum + fee - usd), name).toBeLessThanOrEqual(Math.max(1e-12, usd * 1e-9));
          if (sum > 0) priced += 1;
        }
      },
    ),
    { numRuns: 200 },
  );
  expect(priced).toBeGreaterThan(1000);
});

test("a tier's rates hold for the whole prompt, and a price that ended is not the price of today", () => {
  const prices = priceTable();
  const usage = (cacheRead: number) => ({ ...NO_USAGE, cacheRead });
  const early = Date.UTC(2026, 1, 10);
  // In 2026-02 prompts over 200,000 tokens cost twice as much.
  expect(prices.rates("claude-opus-4-6", usage(200_000), early)).toEqual({
    uncached: 5e-6,
    read: 0.5e-6,
    write: 6.25e-6,
    output: 25e-6,
  });
  expect(prices.rates("claude-opus-4-6", usage(200_001), early)?.read).toBe(1e-6);
  expect(prices.rates("claude-opus-4-6", usage(200_001), Date.UTC(2026, 9, 1))?.read).toBe(0.5e-6);
});

test("a model that the table does not know has neither price nor window", () => {
  const prices = priceTable();
  const usage = { ...NO_USAGE, inputUncached: 1, output: 1 };
  expect(prices.usd("no-such-model-anywhere", usage, null)).toBeNull();
  expect(prices.rates("no-such-model-anywhere", usage, null)).toBeNull();
  expect(prices.window("no-such-model-anywhere")).toBeNull();
});
