import { calcPrice, waitForUpdate } from "@pydantic/genai-prices";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_USAGE, promptTokens, type Usage } from "#lib/kernel/draft.ts";
import { usageUsd } from "#lib/kernel/load/rates.ts";
import { listedModel } from "./listed-prices.ts";
import { otherSpellings, servedModel } from "./model-names.ts";
import { priceTable } from "./prices.ts";

const prices = priceTable();
const NOW = Date.UTC(2026, 8, 25);

const tokens = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 900_000 }));

/** Dollars of a call at our rates. */
function usdOf(name: string, usage: Usage, at: number | null): number | null {
  const rates = prices.rates(name, usage, at);
  return rates === null ? null : usageUsd(usage, rates);
}

test("every call of every model costs what the table says", async () => {
  const providers = await waitForUpdate();
  const names = [...new Set((providers ?? []).flatMap((provider) => provider.models.map((model) => model.id)))];
  expect(names.length).toBeGreaterThan(300);
  let priced = 0;
  fc.assert(
    fc.property(
      fc.record({
        inputUncached: tokens,
        cacheRead: tokens,
        cacheWrite: tokens,
        output: tokens,
        hour: fc.constantFrom(0, 0.5, 1),
        webSearches: fc.nat({ max: 5 }),
      }),
      fc.shuffledSubarray(names, { minLength: 40, maxLength: 40 }),
      fc.integer({ min: 1_735_689_600_000, max: 1_798_761_600_000 }),
      ({ hour, webSearches, ...some }, subset, at) => {
        for (const name of subset) {
          const known = calcPrice({ input_tokens: 1 }, name, { timestamp: new Date(at) })?.model_price ?? {};
          const usage: Usage = {
            ...NO_USAGE,
            ...some,
            // Where the table has no rate for them, ours follows from others: the next tests say which.
            cacheWrite1h: "cache_write_1h_mtok" in known ? Math.floor(some.cacheWrite * hour) : 0,
            webSearches: "web_searches_kcount" in known ? webSearches : 0,
          };
          const table = calcPrice(
            {
              input_tokens: promptTokens(usage),
              cache_read_tokens: usage.cacheRead,
              cache_write_tokens: usage.cacheWrite,
              cache_write_1h_tokens: usage.cacheWrite1h,
              output_tokens: usage.output,
              web_searches: usage.webSearches,
            },
            name,
            { timestamp: new Date(at) },
          );
          // Its tier, which the table lacks, has a test of its own; so have the prices of providers' pages.
          if (table?.model.id === "claude-sonnet-4-0" || listedModel(name, null) !== null) continue;
          const ours = usdOf(name, usage, at);
          // The table does not know whose model it is by such a name: the test of providers has some of them.
          const isNamed = servedModel(name) !== null || otherSpellings(name).length > 0;
          if (table === null) expect(ours === null || isNamed, name).toBe(true);
          else expect(Math.abs(ours! - table.total_price), name).toBeLessThanOrEqual(table.total_price * 1e-12);
          if (table !== null && usage.cacheWrite1h > 0) priced += 1;
        }
      },
    ),
    { numRuns: 200 },
  );
  expect(priced).toBeGreaterThan(20);
});

// Anthropic's page of prices: a write for five minutes is 1.25 times the input price, one for an hour twice, a read a tenth;
// ten dollars a thousand searches.
test("a write for an hour is twice the input price, in the tier of its prompt", () => {
  const opus = {
    ...NO_USAGE,
    inputUncached: 1000,
    cacheRead: 10_000,
    cacheWrite: 4000,
    cacheWrite1h: 3000,
    output: 200,
  };
  // 1000 × $5 + 10,000 × $0.50 + 1000 × $6.25 + 3000 × $10 + 200 × $25, a million each, and three searches.
  expect(usdOf("claude-opus-4-5-20251101", opus, null)).toBeCloseTo(0.05125, 12);
  expect(usdOf("claude-opus-4-5-20251101", { ...opus, webSearches: 3 }, null)).toBeCloseTo(0.08125, 12);
  const hour = { ...NO_USAGE, cacheWrite: 200_000, cacheWrite1h: 200_000 };
  expect(usdOf("claude-sonnet-4-5", hour, null), "$6 a million").toBeCloseTo(1.2, 12);
  expect(
    usdOf("claude-sonnet-4-5", { ...hour, inputUncached: 1 }, null),
    "over 200k: $12, and $6 for the one",
  ).toBeCloseTo(2.400006, 12);
});

test("where the table names no rate for an hour it is twice the input's, and that is said", () => {
  expect(prices.rates("MiniMax-M2", NO_USAGE, null)).toMatchObject({
    uncached: 0.3e-6,
    write: 0.375e-6,
    write1h: 0.6e-6,
    webSearch: 0.01,
    isDerived: true,
  });
  expect(prices.rates("claude-opus-4-5", NO_USAGE, null)).toMatchObject({ write1h: 1e-5, isDerived: false });
});

test("a tier's rates hold for the whole prompt, and a price that ended is not the price of today", () => {
  const usage = (cacheRead: number) => ({ ...NO_USAGE, cacheRead });
  const early = Date.UTC(2026, 1, 10);
  // In 2026-02 prompts over 200,000 tokens cost twice as much.
  expect(prices.rates("claude-opus-4-6", usage(200_000), early)).toMatchObject({
    uncached: 5e-6,
    read: 0.5e-6,
    write: 6.25e-6,
    write1h: 10e-6,
    output: 25e-6,
  });
  expect(prices.rates("claude-opus-4-6", usage(200_001), early)?.read).toBe(1e-6);
  expect(prices.rates("claude-opus-4-6", usage(200_001), Date.UTC(2026, 9, 1))?.read).toBe(0.5e-6);
});

// Anthropic's page of prices of August 2025: $6 and $22.50 a million over 200,000 tokens. The table has that of Sonnet 4.5 alone.
test.each(["claude-sonnet-4-20250514", "claude-sonnet-4-0", "claude-sonnet-4-5-20250929"])(
  "a long prompt of %s costs twice as much, its answer half as much again",
  (name) => {
    const of = (cacheRead: number) => prices.rates(name, { ...NO_USAGE, cacheRead }, null)!;
    const short = { uncached: 3e-6, read: 0.3e-6, write: 3.75e-6, write1h: 6e-6, output: 15e-6, webSearch: 0.01 };
    const long = { uncached: 6e-6, read: 0.6e-6, write: 7.5e-6, write1h: 12e-6, output: 22.5e-6, webSearch: 0.01 };
    for (const [kind, rate] of Object.entries(short))
      expect(of(200_000)[kind as keyof typeof short], kind).toBeCloseTo(rate, 12);
    for (const [kind, rate] of Object.entries(long))
      expect(of(200_001)[kind as keyof typeof long], kind).toBeCloseTo(rate, 12);
  },
);

// Anthropic's pages of prices: $30 and $150 a million in fast mode of Opus 4.6 and 4.7, $10 and $50 of Opus 4.8 and 5.
test("fast mode costs more, with the multiples of its cache, and a search costs the same", () => {
  const fast = prices.rates("claude-opus-4-6-fast", NO_USAGE, Date.UTC(2026, 9, 1));
  expect(fast?.uncached).toBeCloseTo(30e-6, 15);
  expect(fast?.read).toBeCloseTo(3e-6, 15);
  expect(fast?.write).toBeCloseTo(37.5e-6, 15);
  expect(fast?.write1h).toBeCloseTo(60e-6, 15);
  expect(fast?.output).toBeCloseTo(150e-6, 15);
  expect(fast?.webSearch).toBe(0.01);
  expect(prices.rates("claude-opus-5-fast", NO_USAGE, null)?.output).toBeCloseTo(50e-6, 15);
  expect(prices.rates("claude-opus-4-7-20260416-fast", NO_USAGE, null)?.output).toBeCloseTo(150e-6, 15);
  expect(prices.window("claude-opus-5-fast")).toBe(prices.window("claude-opus-5"));
  expect(prices.rates("claude-haiku-4-5-fast", NO_USAGE, null), "a price that nobody named").toBeNull();
});

// Anthropic's pages of prices: 1.1 times for inference in the United States alone, half of it in a batch, on all kinds of tokens.
test("inference in the United States costs a tenth more, and a batch half", () => {
  const us = prices.rates("claude-opus-5-us", NO_USAGE, null);
  expect(us?.uncached).toBeCloseTo(5.5e-6, 15);
  expect(us?.read).toBeCloseTo(0.55e-6, 15);
  expect(us?.write).toBeCloseTo(6.875e-6, 15);
  expect(us?.write1h).toBeCloseTo(11e-6, 15);
  expect(us?.output).toBeCloseTo(27.5e-6, 15);
  expect(us?.webSearch).toBe(0.01);
  expect(prices.rates("claude-opus-5-batch", NO_USAGE, null)?.output).toBeCloseTo(12.5e-6, 15);
  expect(prices.rates("claude-haiku-4-5-20251001-batch", NO_USAGE, null)?.uncached).toBeCloseTo(0.5e-6, 15);
  expect(prices.rates("claude-opus-5-us-batch", NO_USAGE, null)?.output).toBeCloseTo(13.75e-6, 15);
  expect(prices.rates("claude-opus-5-fast-us", NO_USAGE, null)?.output).toBeCloseTo(55e-6, 15);
  expect(prices.window("claude-opus-5-us")).toBe(prices.window("claude-opus-5"));
  expect(prices.rates("claude-haiku-4-5-fast-us", NO_USAGE, null), "a price that nobody named").toBeNull();
});

// OpenAI's pages of prices: half of it for flex and in a batch; priority is dearer by another factor for each model.
test("flex and batches of OpenAI's cost half, priority what its page says", () => {
  const flex = prices.rates("gpt-5-flex", NO_USAGE, null);
  expect(flex?.uncached).toBeCloseTo(0.625e-6, 15);
  expect(flex?.read).toBeCloseTo(0.0625e-6, 15);
  expect(flex?.output).toBeCloseTo(5e-6, 15);
  expect(prices.rates("openai/gpt-4o-mini-2024-07-18-batch", NO_USAGE, null)?.output).toBeCloseTo(0.3e-6, 15);
  const listed = {
    ...{ "gpt-5": [2.5, 0.25, 20], "gpt-5-mini": [0.45, 0.045, 3.6], "gpt-5.1-codex": [2.5, 0.25, 20] },
    ...{
      "gpt-5.2": [3.5, 0.35, 28],
      "gpt-5.4": [5, 0.5, 30],
      "gpt-5.4-mini": [1.5, 0.15, 9],
      "gpt-4.1": [3.5, 0.875, 14],
    },
    ...{ "gpt-4.1-mini": [0.7, 0.175, 2.8], "gpt-4.1-nano": [0.2, 0.05, 0.8], "gpt-4o-2024-11-20": [4.25, 2.125, 17] },
    ...{ "gpt-4o-mini": [0.25, 0.125, 1], "gpt-5.5": [12.5, 1.25, 75], "gpt-6-astra": [20, 2, 100] },
  };
  for (const [model, rates] of Object.entries(listed)) {
    const { uncached = 0, read = 0, output = 0 } = prices.rates(`${model}-priority`, NO_USAGE, null) ?? {};
    for (const [i, of] of [uncached, read, output].entries()) expect(of * 1e6, model).toBeCloseTo(rates[i]!, 9);
  }
  expect(prices.rates("gpt-5.4-pro-priority", NO_USAGE, null), "a price that nobody named").toBeNull();
  const long = prices.rates("gpt-6-astra-priority", { ...NO_USAGE, inputUncached: 300_000 }, null);
  expect([long?.uncached, long?.read, long?.output].map((rate) => rate! * 1e6)).toEqual([40, 4, 150]);
  expect(prices.window("gpt-5-flex")).toBe(prices.window("gpt-5"));
});

test("a price is that of its moment, on either side of each change", async () => {
  const models = ((await waitForUpdate()) ?? []).flatMap(({ models: list }) => list);
  let changes = 0;
  for (const { id, prices: list } of models.filter((model) => Array.isArray(model.prices)))
    for (const { constraint } of (listedModel(id, null) === null ? list : []) as {
      constraint?: { [name: string]: string };
    }[]) {
      const { start_date: date, start_time: from, end_time: to } = constraint ?? {};
      const moments = [date, ...[from, to].map((time) => time && `2026-10-05T${time}`)].filter(
        (at) => at !== undefined,
      );
      for (const at of moments.map((text) => Date.parse(text)).flatMap((ms) => [ms - 1, ms, ms - 1])) {
        const usage = { ...NO_USAGE, inputUncached: 1000 };
        const table = calcPrice({ input_tokens: 1000 }, id, { timestamp: new Date(at) });
        if (table === null) continue;
        expect(usdOf(id, usage, at), `${id} at ${new Date(at).toISOString()}`).toBeCloseTo(table.total_price, 12);
        changes++;
      }
    }
  expect(changes).toBeGreaterThan(30);
});

test("a model that the table does not know has neither price nor window", () => {
  expect(prices.rates("no-such-model-anywhere", NO_USAGE, null)).toBeNull();
  expect(prices.window("no-such-model-anywhere")).toBeNull();
});

test("a later version of a model has no price of the version before", () => {
  for (const name of ["claude-sonnet-5-6", "claude-sonnet-5-6-20270101", "anthropic/claude-sonnet-5-6"]) {
    expect(prices.rates(name, NO_USAGE, NOW), name).toBeNull();
    expect(prices.window(name), name).toBeNull();
  }
  for (const name of ["claude-sonnet-5-20260815", "gemini-2.5-flash-preview-05-20", "cohere/command-r-08-2024"])
    expect(prices.rates(name, NO_USAGE, NOW), name).not.toBeNull();
});

test("a name of very many providers has no price, and breaks nothing", () => {
  expect(prices.rates(`${"openai/".repeat(50_000)}gpt-4o`, NO_USAGE, null)).toBeNull();
});

// Providers' pages of prices, in dollars a million tokens of input and output. Bedrock's regions cost a tenth more.
test.each([
  ["openai/gpt-4o-mini", [0.15, 0.6]],
  ["OpenAI/gpt-4o-mini", [0.15, 0.6]],
  ["anthropic/claude-sonnet-4.5", [3, 15]],
  ["anthropic/claude-sonnet-4-5-20250929", [3, 15]],
  ["anthropic/claude-opus-4-6-fast", [30, 150]],
  ["openrouter/anthropic/claude-sonnet-4.5", [3, 15]],
  // A proxy in front of providers: two collected logs of OpenHands tell what their calls cost, both the list price to the cent.
  ["litellm_proxy/openai/gpt-4o-mini", [0.15, 0.6]],
  ["litellm_proxy/claude-sonnet-4-5-20250929", [3, 15]],
  ["openhands/claude-sonnet-4-5-20250929", [3, 15]],
  ["litellm_proxy/own", null],
  ["google/gemini-2.5-flash", [0.3, 2.5]],
  ["vertex_ai/claude-sonnet-4-5@20250929", [3, 15]],
  ["projects/p-1/locations/europe-central2/publishers/google/models/gemini-2.5-flash", [0.3, 2.5]],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", [3.3, 16.5]],
  ["bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", [3.3, 16.5]],
  ["azure/gpt-4o", [2.5, 10]],
  ["codex-mini-latest", [1.5, 6]],
  ["models/gemini-2.5-flash", [0.3, 2.5]],
  ["models/gpt-4o-mini", null],
  // Droid's names of a person's own keys: what the settings call it, and who serves it.
  ["Claude-Sonnet-4-[Anthropic]", [3, 15]],
  ["custom:Claude-Sonnet-4.5-[Anthropic]-0", [3, 15]],
  ["custom:GPT-4o-Mini-[OpenAI]-12", [0.15, 0.6]],
  ["custom:Claude-Sonnet-4-[Somewhere]-0", null],
  // What a person's own machine serves, whatever it is called, has no list price.
  ["ollama/gemma3", null],
  ["meta-llama/Llama-3.1-8B-Instruct", null],
  ["openai/", null],
  ["/gpt-4o", null],
  ["constructor/gpt-4o", null],
])("%s has the price of who serves it", (name, dollars) => {
  const usage = { ...NO_USAGE, inputUncached: 1000, output: 1000 };
  const rates = prices.rates(name, usage, Date.UTC(2026, 5, 1));
  const found =
    rates === null ? null : [rates.uncached, rates.output].map((rate) => Number((rate * 1e6).toPrecision(9)));
  expect(found).toEqual(dollars);
});

test.each([
  ["claude-opus-5[1m]", "claude-opus-5"],
  ["anthropic/claude-sonnet-5[1m]", "claude-sonnet-5"],
  ["claude-4.5-sonnet-thinking", "claude-sonnet-4-5"],
  ["claude-4.6-sonnet-medium-thinking", "claude-sonnet-4-6"],
  ["gpt-5.2-codex-xhigh", "gpt-5.2-codex"],
  ["gpt-5.5-high", "gpt-5.5"],
  ["gemini-3-pro", "gemini-3-pro-preview"],
  ["gemini-3.1-pro-high", "gemini-3.1-pro-preview"],
  ["models/gemini-3.1-pro", "gemini-3.1-pro-preview"],
  ["grok-4.5-build", "grok-4.5"],
  ["claude-mythos-5-1", "claude-fable-5-1"],
  ["qwen-plus", "openrouter/qwen/qwen-plus"],
])("%s has the price of %s", (name, as) => {
  const usage = { ...NO_USAGE, inputUncached: 1000, cacheRead: 5000, output: 300 };
  expect(usdOf(as, usage, NOW)).toBeGreaterThan(0);
  expect(usdOf(name, usage, NOW)).toBeCloseTo(usdOf(as, usage, NOW)!, 12);
});

test("Grok Build's turns cost what xAI charged for them", () => {
  const usage = { ...NO_USAGE, inputUncached: 510, cacheRead: 131_456, output: 326 };
  expect(usdOf("grok-4.5-build", usage, NOW)).toBeCloseTo(0.0424128, 9);
});

test("a name of nobody's has no price, however it is spelled", () => {
  for (const name of ["llama-local-high", "my-model[1m]", "grok-4.5-build-free", "qwen3-coder", "qwen-plus-of-mine"])
    expect(prices.rates(name, NO_USAGE, NOW), name).toBeNull();
});
