// What an answer says that it was charged, in the words of its provider.
import { NO_USAGE, type Usage } from "#lib/kernel/draft.ts";
import type { CapturedApi } from "#lib/kernel/captured-record.ts";
import { readUsage } from "../claude-code/answers.ts";
import { tokensOf, usageOf } from "../codex/token-counts.ts";
import { asCount, asObject, isObject, type Json } from "../json.ts";

/** Null where it says nothing. */
export function capturedUsage(answer: Json, api: CapturedApi): Usage | null {
  const told = answer[api === "gemini" ? "usageMetadata" : "usage"];
  if (!isObject(told)) return null;
  switch (api) {
    case "messages":
      return readUsage(told);
    case "responses":
      return ofResponses(told);
    case "chat":
      return split(asCount(told["prompt_tokens"]), {
        cacheRead: asCount(asObject(told["prompt_tokens_details"])["cached_tokens"]),
        output: asCount(told["completion_tokens"]),
        reasoning: asCount(asObject(told["completion_tokens_details"])["reasoning_tokens"]),
      });
    case "gemini": {
      const reasoning = asCount(told["thoughtsTokenCount"]);
      return split(asCount(told["promptTokenCount"]) + asCount(told["toolUsePromptTokenCount"]), {
        cacheRead: asCount(told["cachedContentTokenCount"]),
        output: asCount(told["candidatesTokenCount"]) + reasoning,
        reasoning,
      });
    }
  }
}

function ofResponses(told: Json): Usage | null {
  const input = asObject(told["input_tokens_details"]);
  const output = asObject(told["output_tokens_details"]);
  const tokens = tokensOf({
    ...told,
    cached_input_tokens: input["cached_tokens"],
    cache_write_input_tokens: input["cache_write_tokens"],
    reasoning_output_tokens: output["reasoning_tokens"],
  });
  return tokens === null ? null : usageOf(tokens);
}

const split = (prompt: number, rest: Pick<Usage, "cacheRead" | "output" | "reasoning">): Usage => ({
  ...NO_USAGE,
  ...rest,
  cacheRead: Math.min(rest.cacheRead, prompt),
  inputUncached: Math.max(0, prompt - rest.cacheRead),
  reasoning: Math.min(rest.reasoning, rest.output),
});
