// Each price is copied from its provider's page, apart from the table of the code, which the pages filled at another time.
import { calcPrice } from "@pydantic/genai-prices";
import { expect, test } from "vitest";
import { NO_USAGE } from "#lib/kernel/draft.ts";
import { listedModel } from "./listed-prices.ts";
import { priceTable } from "./prices.ts";

const prices = priceTable();
const NOW = Date.UTC(2026, 10, 28);

/** Input, read, written, output: dollars a million. */
function of(name: string, prompt = 1000, at = NOW): (number | null)[] | null {
  const rates = prices.rates(name, { ...NO_USAGE, inputUncached: prompt }, at);
  if (rates === null) return null;
  return [rates.uncached, rates.read, rates.write, rates.output].map((rate) => Number((rate * 1e6).toPrecision(9)));
}

test.each([
  ["claude-haiku-5-5", [0.1, 0.01, 0.125, 0.5]],
  ["anthropic/claude-haiku-5.5", [0.1, 0.01, 0.125, 0.5]],
  ["claude-sonnet-5-5", [2, 0.1, 2.5, 10]],
  ["claude-sonnet-5-5[1m]", [2, 0.1, 2.5, 10]],
  ["claude-fable-5-2", [8, 0.2, 10, 40]],
  ["claude-mythos-5-2", [8, 0.2, 10, 40]],
  ["vertex_ai/claude-fable-5-2", [8, 0.2, 10, 40]],
  ["claude-fable-5-2-fast", [16, 0.4, 20, 80]],
  ["claude-opus-5-5-fast", [8, 0.4, 10, 40]],
  ["claude-haiku-5-5-batch", [0.05, 0.005, 0.0625, 0.25]],
  ["gpt-6.1-sol", [2, 0.1, 2.5, 10]],
  ["openai/gpt-6.1-terra", [1, 0.05, 1.25, 5]],
  ["gpt-6.2-sol-high", [2, 0.1, 2.5, 10]],
  ["gpt-6.2-astra", [8, 0.4, 10, 40]],
  ["gpt-6.2-sol-priority", [4, 0.2, 5, 20]],
  ["gpt-6-luna-priority", [0.2, 0.02, 0.25, 1]],
  ["gpt-6.1-sol-ultrafast", [12, 0.6, 15, 60]],
  ["gpt-6.2-astra-ultrafast", null],
  ["gpt-6.1-sol-flex", [1, 0.05, 1.25, 5]],
  ["glm-4.6", [0.6, 0.11, 0.6, 2.2]],
  ["GLM-4.6", [0.6, 0.11, 0.6, 2.2]],
  ["z-ai/glm-4.6", [0.6, 0.11, 0.6, 2.2]],
  ["zai/glm-4.5-air", [0.2, 0.03, 0.2, 1.1]],
  ["glm-4.7", [0.6, 0.11, 0.6, 2.2]],
  ["glm-5.3", [1.4, 0.26, 1.4, 4.4]],
  ["deepseek-chat", [0.14, 0.0028, 0.14, 0.28]],
  ["deepseek/deepseek-reasoner", [0.14, 0.0028, 0.14, 0.28]],
  ["deepseek-v4-flash", [0.15, 0.003, 0.15, 0.6]],
  ["mistral-large-latest", [0.5, 0.05, 0.5, 1.5]],
  ["mistral/devstral-medium-latest", [0.4, 0.04, 0.4, 2]],
  ["qwen3-coder-plus", [1, 0.2, 1.25, 5]],
  ["grok-4.1-fast", [0.2, 0.05, 0.2, 0.5]],
  ["x-ai/grok-4.1-fast", [0.2, 0.05, 0.2, 0.5]],
  // A reseller's price is its own, and what a person's own machine serves has none.
  ["zhipuai/glm-4.7", [0.276, 0.055, 0.276, 1.103]],
  ["openrouter/z-ai/glm-4.6", [0.43, 0.08, 0.43, 1.74]],
  ["zai-org/GLM-4.6", null],
  ["ollama/glm-4.6", null],
  ["my-claude-haiku-5-5", null],
])("%s costs what its provider's page says", (name, listed) => expect(of(name)).toEqual(listed));

test("a long prompt costs what the page says of it", () => {
  expect(of("claude-haiku-5-5", 100_000)).toEqual([0.1, 0.01, 0.125, 0.5]);
  expect(of("claude-haiku-5-5", 100_001)).toEqual([0.5, 0.05, 0.625, 2.5]);
  expect(of("gpt-6.1-sol", 272_000)).toEqual([2, 0.1, 2.5, 10]);
  expect(of("gpt-6.1-sol", 272_001)).toEqual([4, 0.2, 5, 15]);
  expect(of("gpt-6.1-sol-priority", 272_001)).toEqual([8, 0.4, 10, 30]);
  expect(of("qwen3-coder-plus", 100_000)).toEqual([1.8, 0.36, 2.25, 9]);
  expect(of("qwen3-coder-plus", 300_000)).toEqual([6, 1.2, 7.5, 60]);
});

test("a price holds from its day on", () => {
  expect(of("claude-sonnet-5-5", 1000, Date.UTC(2026, 9, 6, 23, 59))).toEqual([2, 0.2, 2.5, 10]);
  expect(of("claude-sonnet-5-5", 1000, Date.UTC(2026, 9, 7))).toEqual([2, 0.1, 2.5, 10]);
  // By day it was $0.27, $0.07 and $1.10 until V3.1, at night half of that; then one price, twice lower since.
  expect(of("deepseek-chat", 1000, Date.UTC(2025, 8, 5, 15))).toEqual([0.27, 0.07, 0.27, 1.1]);
  expect(of("deepseek-chat", 1000, Date.UTC(2025, 8, 5, 17))).toEqual([0.56, 0.07, 0.56, 1.68]);
  expect(of("deepseek-chat", 1000, Date.UTC(2025, 9, 1))).toEqual([0.28, 0.028, 0.28, 0.42]);
  expect(of("mistral-large-latest", 1000, Date.UTC(2025, 10, 1))?.[3]).toBe(6);
});

test("DeepSeek's hours cost twice as much, on working days alone", () => {
  const monday = (hour: number) => of("deepseek-v4-flash", 1000, Date.UTC(2026, 9, 12, hour))?.[3];
  expect([0, 1, 3, 4, 6, 9, 10].map(monday)).toEqual([0.6, 1.2, 1.2, 0.6, 1.2, 1.2, 0.6]);
  expect(of("deepseek-v4-flash", 1000, Date.UTC(2026, 9, 11, 2))?.[3], "a Sunday").toBe(0.6);
  expect(of("deepseek-v4-pro", 1000, Date.UTC(2026, 9, 12, 2))).toEqual([1.32, 0.044, 1.32, 3.96]);
});

test("a write for an hour has the price of Anthropic's page", () => {
  const rates = prices.rates("claude-haiku-5-5", NO_USAGE, NOW);
  expect(rates?.write1h).toBeCloseTo(2e-7, 15);
  expect(rates?.isDerived).toBe(false);
  expect(prices.window("claude-haiku-5-5")).toBe(1_000_000);
  expect(prices.window("gpt-6.2-sol")).toBe(1_050_000);
});

test.each(["claude-haiku-5-5", "claude-fable-5-2", "gpt-6.1-sol", "gpt-6.1-terra", "gpt-6.2-sol", "gpt-6.2-astra"])(
  "the pinned table does not have %s: its row here can go once it does",
  (name) => {
    expect(listedModel(name, null)).not.toBeNull();
    expect(calcPrice({ input_tokens: 1 }, name)).toBeNull();
  },
);
