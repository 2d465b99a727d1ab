// What an answer says that it was charged, in the words of whichever provider or library: one meaning, disjoint counts.
import { promptTokens, type Usage } from "#lib/kernel/draft.ts";
import { readUsage } from "../claude-code/answers.ts";
import { usageOfMetadata } from "../google-content.ts";
import { asCount, asObject, asWhole, isObject, type Json } from "../json.ts";
import { splitPrompt, type PromptCounts } from "../prompt-counts.ts";

/** Null where it says nothing. */
export function providerUsage(told: unknown): Usage | null {
  if (!isObject(told)) return null;
  if (has(told, "promptTokenCount", "candidatesTokenCount", "totalTokenCount")) return usageOfMetadata(told);
  if (has(told, "prompt_tokens", "completion_tokens")) return chatUsage(told);
  if (has(told, "input_tokens", "output_tokens")) return tokensUsage(told);
  if (has(told, "inputTokens", "outputTokens")) return sdkUsage(told);
  if (has(told, "promptTokens", "completionTokens")) {
    const { cachedTokens: cached, cacheWriteTokens: written } = asObject(told["promptTokensDetails"]);
    const [prompt, held] = [asCount(told["promptTokens"]), asCount(cached) + asCount(written)];
    return split({
      // Continue has Anthropic's counts as they come: there what was cached is no part of the prompt.
      ...{ prompt: held > prompt ? prompt + held : told["promptTokens"], output: told["completionTokens"] },
      ...{ cached, written },
      reasoning: asObject(told["completionTokensDetails"])["reasoningTokens"],
    });
  }
  return null;
}

const has = (told: Json, ...keys: string[]): boolean =>
  keys.some((key) => isObject(told[key]) || asWhole(told[key]) !== null);

/** OpenAI's chat completions, and what LiteLLM makes of others: what was cached is part of the prompt. */
function chatUsage(told: Json): Usage | null {
  const [prompt, completion] = [asObject(told["prompt_tokens_details"]), asObject(told["completion_tokens_details"])];
  const reasoning = first(completion["reasoning_tokens"], told["reasoning_tokens"]);
  const answered = asCount(told["completion_tokens"]);
  // xAI counts what was thought beside the completion, as its total says, and bills it as output.
  const all = answered + asCount(reasoning);
  const isBeside = asCount(told["total_tokens"]) === asCount(told["prompt_tokens"]) + all;
  return split({
    prompt: told["prompt_tokens"],
    output: isBeside ? all : told["completion_tokens"],
    cached: first(
      prompt["cached_tokens"],
      told["cache_read_input_tokens"],
      told["cache_read_tokens"],
      told["prompt_cache_hit_tokens"],
    ),
    written: first(
      told["cache_creation_input_tokens"],
      prompt["cache_creation_tokens"],
      prompt["cache_write_tokens"],
      told["cache_write_tokens"],
    ),
    // LiteLLM.
    written1h: asObject(prompt["cache_creation_token_details"])["ephemeral_1h_input_tokens"],
    reasoning,
  });
}

/** Anthropic's counts are disjoint; those of OpenAI's Responses and of LangChain have what was cached in the input. */
function tokensUsage(told: Json): Usage | null {
  const [input, output] = [told["input_tokens_details"], told["output_tokens_details"]];
  const [langInput, langOutput] = [told["input_token_details"], told["output_token_details"]];
  // Anthropic tells details of its output too: only its prompts have cache counts of their own.
  const isDisjoint = has(told, "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation");
  if (!isDisjoint && (isObject(input) || isObject(output)))
    return split({
      prompt: told["input_tokens"],
      output: told["output_tokens"],
      cached: asObject(input)["cached_tokens"],
      written: asObject(input)["cache_write_tokens"],
      reasoning: asObject(output)["reasoning_tokens"],
    });
  if (isObject(langInput) || isObject(langOutput)) {
    const details = asObject(langInput);
    const [written5m, written1h] = [details["ephemeral_5m_input_tokens"], details["ephemeral_1h_input_tokens"]];
    return split({
      prompt: told["input_tokens"],
      output: told["output_tokens"],
      cached: details["cache_read"],
      // Where LangChain tells lifetimes, their sum is 0.
      written: first(details["cache_creation"], asCount(written5m) + asCount(written1h)),
      written1h,
      reasoning: asObject(langOutput)["reasoning"],
    });
  }
  return readUsage(told);
}

/** The AI SDK: what was cached is part of the input; its sixth version counts the parts. */
function sdkUsage(told: Json): Usage | null {
  const { inputTokens: input, outputTokens: output } = told;
  const details = asObject(told["inputTokenDetails"]);
  if (isCachedBeside(told)) {
    const [read, written] = [
      told["cacheReadInputTokens"],
      told["cacheCreationInputTokens"] ?? told["cacheWriteInputTokens"],
    ];
    return split({ prompt: asCount(input) + asCount(read) + asCount(written), output, cached: read, written });
  }
  return split({
    prompt: isObject(input) ? input["total"] : input,
    output: isObject(output) ? output["total"] : output,
    cached: first(asObject(input)["cacheRead"], details["cacheReadTokens"], told["cachedInputTokens"]),
    written: first(asObject(input)["cacheWrite"], details["cacheWriteTokens"]),
    reasoning: first(
      asObject(output)["reasoning"],
      asObject(told["outputTokenDetails"])["reasoningTokens"],
      told["reasoningTokens"],
    ),
  });
}

/** Bedrock's Converse, Amp and the Claude SDK in camel case count it beside the input, unless a total says otherwise. */
function isCachedBeside(told: Json): boolean {
  if (!has(told, "cacheReadInputTokens", "cacheCreationInputTokens")) return false;
  const total = asWhole(told["totalTokens"]);
  return total === null || total !== asCount(told["inputTokens"]) + asCount(told["outputTokens"]);
}

const first = (...values: unknown[]): unknown =>
  values.find((value) => asWhole(value) !== null && asWhole(value) !== 0);

/** Null where all are nothing. */
export function split(counts: PromptCounts): Usage | null {
  const usage = splitPrompt(counts);
  return usage === null || promptTokens(usage) + usage.output === 0 ? null : usage;
}
