// What Claude Code counts itself (from 2.1.330 on): dollars, and tokens by model, of all that a session asked a model for.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import { asCost, asCount, asObject, type Json } from "../json.ts";

export const costStateDraft = (value: Json, lane: string): Draft => ({
  kind: "reported",
  lane,
  usd: asCost(value["totalCostUSD"]),
  usage: modelSums(value["modelUsage"]),
});

/** Tokens by model. The window stands in the name of a model that was asked for a larger one. */
export const modelSums = (told: unknown): Record<string, Usage> =>
  Object.fromEntries(
    Object.entries(asObject(told)).map(
      ([model, usage]) => [model.replace(/\[\d+m\]$/i, ""), usageOf(asObject(usage))] as const,
    ),
  );

function usageOf(counts: Json): Usage {
  const cacheWrite = asCount(counts["cacheCreationInputTokens"]);
  const output = asCount(counts["outputTokens"]);
  return {
    inputUncached: asCount(counts["inputTokens"]),
    cacheRead: asCount(counts["cacheReadInputTokens"]),
    cacheWrite,
    cacheWrite1h: Math.min(asCount(counts["cacheCreationEphemeral1hInputTokens"]), cacheWrite),
    output,
    reasoning: Math.min(asCount(counts["thinkingTokens"]), output),
    webSearches: asCount(counts["webSearchRequests"]),
  };
}
