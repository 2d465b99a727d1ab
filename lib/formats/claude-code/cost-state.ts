// What Claude Code counts itself (from 2.1.330 on): dollars, and tokens by model, of all that a session asked a model for.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import { asCount, asNumber, asObject, type Json } from "../json.ts";

export function costStateDraft(value: Json, lane: string): Draft {
  const models = Object.entries(asObject(value["modelUsage"])).map(
    // The window stands in the name of a model that was asked for a larger one.
    ([model, usage]) => [model.replace(/\[\d+m\]$/i, ""), usageOf(asObject(usage))] as const,
  );
  return { kind: "reported", lane, usd: asNumber(value["totalCostUSD"]), usage: Object.fromEntries(models) };
}

function usageOf(told: Json): Usage {
  const cacheWrite = asCount(told["cacheCreationInputTokens"]);
  const output = asCount(told["outputTokens"]);
  return {
    inputUncached: asCount(told["inputTokens"]),
    cacheRead: asCount(told["cacheReadInputTokens"]),
    cacheWrite,
    cacheWrite1h: Math.min(asCount(told["cacheCreationEphemeral1hInputTokens"]), cacheWrite),
    output,
    reasoning: Math.min(asCount(told["thinkingTokens"]), output),
    webSearches: asCount(told["webSearchRequests"]),
  };
}
