// Counts in the words of each provider, those of later releases too.
import { expect, test } from "vitest";
import { NO_USAGE } from "#lib/kernel/draft.ts";
import { providerUsage } from "./provider-usage.ts";

test.each([
  [
    "Anthropic, with lifetimes of the cache and details of the output alone",
    {
      ...{ input_tokens: 10, output_tokens: 7, output_tokens_details: { thinking_tokens: 4 } },
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
    },
    { inputUncached: 10, cacheWrite: 50, cacheWrite1h: 30, output: 7, reasoning: 4 },
  ],
  [
    "Bedrock's Converse, which counts beside the input what was cached",
    {
      ...{ inputTokens: 10, outputTokens: 7, totalTokens: 77 },
      ...{ cacheReadInputTokens: 40, cacheWriteInputTokens: 20 },
    },
    { inputUncached: 10, cacheRead: 40, cacheWrite: 20, output: 7 },
  ],
  [
    "Amp, without a total",
    {
      inputTokens: 10,
      outputTokens: 7,
      cacheReadInputTokens: 40,
      cacheCreationInputTokens: 20,
      maxInputTokens: 168_000,
    },
    { inputUncached: 10, cacheRead: 40, cacheWrite: 20, output: 7 },
  ],
  [
    "the same names where the total says that the cache is a part of the input",
    {
      inputTokens: 50,
      outputTokens: 7,
      totalTokens: 57,
      cacheReadInputTokens: 40,
      inputTokenDetails: { cacheReadTokens: 40 },
    },
    { inputUncached: 10, cacheRead: 40, output: 7 },
  ],
  [
    "Continue",
    {
      ...{ promptTokens: 100, completionTokens: 9 },
      promptTokensDetails: { cachedTokens: 60, cacheWriteTokens: 30 },
      completionTokensDetails: { reasoningTokens: 5 },
    },
    { inputUncached: 10, cacheRead: 60, cacheWrite: 30, output: 9, reasoning: 5 },
  ],
  [
    "Continue, of Anthropic's models: what was cached is no part of the prompt",
    {
      ...{ promptTokens: 5, completionTokens: 9 },
      promptTokensDetails: { cachedTokens: 0, cacheWriteTokens: 3000 },
    },
    { inputUncached: 5, cacheWrite: 3000, output: 9 },
  ],
  [
    "OpenAI's chat completions",
    {
      ...{ prompt_tokens: 100, completion_tokens: 9 },
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
    { inputUncached: 40, cacheRead: 60, output: 9, reasoning: 5 },
  ],
  [
    "OpenRouter, which tells cache writes among the details",
    {
      ...{ prompt_tokens: 100, completion_tokens: 9 },
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    },
    { inputUncached: 10, cacheRead: 60, cacheWrite: 30, output: 9 },
  ],
  [
    "xAI, which counts what was thought beside the completion, and in the total",
    {
      ...{ prompt_tokens: 32, completion_tokens: 9, total_tokens: 135 },
      prompt_tokens_details: { cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 94 },
    },
    { inputUncached: 26, cacheRead: 6, output: 103, reasoning: 94 },
  ],
  [
    "OpenAI's Responses",
    {
      ...{ input_tokens: 100, output_tokens: 9 },
      input_tokens_details: { cached_tokens: 60 },
      output_tokens_details: { reasoning_tokens: 5 },
    },
    { inputUncached: 40, cacheRead: 60, output: 9, reasoning: 5 },
  ],
  [
    "LangChain, where lifetimes stand in the place of what was written",
    {
      ...{ input_tokens: 1020, output_tokens: 9, total_tokens: 1029 },
      input_token_details: {
        ...{ cache_read: 900, cache_creation: 0 },
        ...{ ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 70 },
      },
    },
    { inputUncached: 20, cacheRead: 900, cacheWrite: 100, cacheWrite1h: 70, output: 9 },
  ],
  [
    "LangChain, without lifetimes",
    {
      ...{ input_tokens: 1020, output_tokens: 9 },
      input_token_details: { cache_read: 900, cache_creation: 100 },
    },
    { inputUncached: 20, cacheRead: 900, cacheWrite: 100, output: 9 },
  ],
  [
    "Gemini",
    { promptTokenCount: 100, cachedContentTokenCount: 60, candidatesTokenCount: 4, thoughtsTokenCount: 5 },
    { inputUncached: 40, cacheRead: 60, output: 9, reasoning: 5 },
  ],
])("%s", (_provider, told, usage) => {
  expect(providerUsage(told)).toEqual({ ...NO_USAGE, ...usage });
});
