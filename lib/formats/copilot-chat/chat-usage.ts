// Tokens of a request to VS Code's chat, which may be several model calls. Its `promptTokens` are those of the last call alone, with what
// was read from the cache inside; `completionTokens` is the sum of all calls, and `outputTokens` in the answer's metadata the last one's again.
import { NO_USAGE, type Usage } from "#lib/kernel/draft.ts";
import { asArray, asCount, asObject, asText, asWhole, type Json } from "../json.ts";
import { addOfModel } from "../reported-sums.ts";
import { splitPrompt } from "../prompt-counts.ts";

export type RequestUsage = {
  /** Of the last call; null where the file has no counts. */
  readonly last: Usage | null;
  readonly isLowerBound: boolean;
  /** Output of the calls before it, all together. */
  readonly before: Usage | null;
};

/** `thoughts`: reasoning tokens of each call, in order. */
export function usageOfRequest(request: Json, metadata: Json, thoughts: readonly number[]): RequestUsage {
  const calls = Math.max(1, thoughts.length);
  const [lastThoughts, earlier] = [thoughts.at(-1) ?? 0, thoughts.slice(0, -1).reduce((sum, one) => sum + one, 0)];
  const own = asObject(request["usage"]);
  const prompt = asWhole(request["promptTokens"]) ?? asWhole(own["promptTokens"]) ?? asWhole(metadata["promptTokens"]);
  const all = asWhole(request["completionTokens"]) ?? asWhole(own["completionTokens"]);
  const lastOutput = asWhole(metadata["outputTokens"]) ?? (calls === 1 ? all : null);
  const isSilent = (prompt ?? 0) + (all ?? 0) + (lastOutput ?? 0) === 0;
  if (isSilent) return { last: null, isLowerBound: false, before: null };
  // Of several calls whose last one is not counted apart, its output is what is left: nobody can say how much.
  const output = lastOutput ?? 0;
  const rest = Math.max(0, (all ?? 0) - output);
  return {
    last: splitPrompt({ prompt: prompt ?? 0, output, reasoning: lastThoughts }),
    isLowerBound: lastOutput === null && calls > 1,
    before: rest === 0 ? null : { ...NO_USAGE, output: rest, reasoning: Math.min(earlier, rest) },
  };
}

/** Sums of whole requests by model, sub-agents among them, where VS Code has them: of agents that run in a process of their own. */
export function addModelTotals(request: Json, sums: Record<string, Usage>): void {
  for (const total of asArray(request["modelTotals"]).map(asObject)) {
    const { inputTokens: prompt, cachedTokens: cached, outputTokens: output } = total;
    const usage = splitPrompt({ prompt, cached, output });
    if (usage !== null) addOfModel(sums, asText(total["model"]) ?? "", usage);
  }
}

/** What a summary of the conversation used. */
export function usageOfSummary(summary: Json): Usage | null {
  const usage = asObject(summary["usage"]);
  const { prompt_tokens: prompt, completion_tokens: output, prompt_tokens_details: details } = usage;
  if (asCount(prompt) + asCount(output) === 0) return null;
  return splitPrompt({ prompt, output, cached: asObject(details)["cached_tokens"] });
}
