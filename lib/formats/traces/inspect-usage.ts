// What Inspect counts of a model call, with the names that the conventions have.
import { asCount, type Json } from "../json.ts";

/**
 * Cache reads and writes are beside the input, as Anthropic counts, or inside of it; reasoning is inside of the output, or beside it, as
 * Google counts: the total decides.
 */
export function inspectUsage(told: Json): Readonly<Record<string, number>> {
  if (Object.keys(told).length === 0) return {};
  const [input = 0, output = 0, total = 0] = ["input_tokens", "output_tokens", "total_tokens"].map((name) =>
    asCount(told[name]),
  );
  const read = asCount(told["input_tokens_cache_read"]);
  const written = asCount(told["input_tokens_cache_write"]);
  const reasoning = asCount(told["reasoning_tokens"]);
  const cached = read + written;
  const beside = total - input - output;
  const isCacheApart = cached > 0 && (beside === cached || beside >= cached + reasoning);
  const isReasoningApart = reasoning > 0 && beside >= (isCacheApart ? cached : 0) + reasoning;
  return {
    "gen_ai.usage.input_tokens": isCacheApart ? input + cached : input,
    "gen_ai.usage.output_tokens": isReasoningApart ? output + reasoning : output,
    "gen_ai.usage.cache_read.input_tokens": read,
    "gen_ai.usage.cache_creation.input_tokens": written,
    "gen_ai.usage.reasoning.output_tokens": reasoning,
  };
}
