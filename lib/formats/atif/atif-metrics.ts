// Tokens and dollars of ATIF: `cached_tokens` are part of `prompt_tokens`. Totals of a trajectory may cover its sub-agents, and of a
// continuation all that came before.
import { promptTokens, type Usage } from "#lib/kernel/draft.ts";
import { asCount, asObject, isObject } from "../json.ts";
import { splitPrompt } from "../prompt-counts.ts";
import { exactly } from "#lib/kernel/exactly.ts";

/** Tokens of a step; null where it names none. */
export function usageOf(metrics: unknown): Usage | null {
  if (!isObject(metrics)) return null;
  const extra = asObject(metrics["extra"]);
  const usage = splitPrompt({
    prompt: metrics["prompt_tokens"] ?? metrics["input_tokens"] ?? extra["prompt_tokens"] ?? extra["input_tokens"],
    output: metrics["completion_tokens"] ?? metrics["output_tokens"] ?? extra["completion_tokens"],
    cached:
      metrics["cached_tokens"] ??
      extra["cached_tokens"] ??
      extra["cache_read_input_tokens"] ??
      extra["cache_read_tokens"],
    written: extra["cache_creation_input_tokens"] ?? extra["cache_write_tokens"],
    written1h: asObject(extra["cache_creation"])["ephemeral_1h_input_tokens"],
    reasoning: extra["reasoning_tokens"] ?? extra["reasoning_output_tokens"],
  });
  const searches = asCount(asObject(extra["server_tool_use"])["web_search_requests"]);
  return usage === null ? null : { ...usage, webSearches: searches };
}

/** Totals of a trajectory; null where it names none. */
export function totalUsage(final: unknown): Usage | null {
  if (!isObject(final)) return null;
  const extra = asObject(final["extra"]);
  return splitPrompt({
    prompt: final["total_prompt_tokens"],
    output: final["total_completion_tokens"],
    cached: final["total_cached_tokens"],
    written: extra["total_cache_creation_input_tokens"] ?? extra["cache_creation_input_tokens"],
    reasoning: extra["total_reasoning_tokens"] ?? extra["reasoning_tokens"],
  });
}

export type StepSums = { prompt: number; output: number };

export function addStep(sums: StepSums, usage: Usage | null): void {
  if (usage === null) return;
  sums.prompt += promptTokens(usage);
  sums.output += usage.output;
}

/** How the totals of a trajectory differ from its steps; null where they do not. */
export function totalsDifference(total: Usage, sums: StepSums): string | null {
  const [prompt, output] = [promptTokens(total), total.output];
  if (prompt === sums.prompt && output === sums.output) return null;
  return `Its totals name ${exactly(prompt)} prompt and ${exactly(output)} output tokens; its steps have ${exactly(sums.prompt)} and ${exactly(sums.output)}. Totals may cover sub-agents and earlier parts.`;
}
