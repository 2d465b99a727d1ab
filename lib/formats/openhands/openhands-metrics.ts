// Tokens of OpenHands: of each answer by its id, sums that grow with the run, and totals at its end.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import { asArray, asCount, asNumber, asObject, asText, isObject, type Json } from "../json.ts";
import { split } from "../messages/provider-usage.ts";
import { addOfModel } from "../reported-sums.ts";
import type { HandsRun, Spent } from "./hands-run.ts";

const countsOf = (told: Json): Spent => ({
  prompt: asCount(told["prompt_tokens"]),
  output: asCount(told["completion_tokens"]),
  cacheRead: asCount(told["cache_read_tokens"]),
  cacheWrite: asCount(told["cache_write_tokens"]),
  reasoning: asCount(told["reasoning_tokens"]),
});

/** What was cached is part of the prompt; agents that OpenHands runs over ACP count it apart: then it does not fit in. */
const isApart = ({ prompt, cacheRead, cacheWrite }: Spent): boolean => cacheRead + cacheWrite > prompt;

function usageOf({ prompt, output, cacheRead, cacheWrite, reasoning }: Spent, isOwn: boolean): Usage | null {
  const sent = isOwn ? prompt + cacheRead + cacheWrite : prompt;
  return split({ prompt: sent, output, cached: cacheRead, written: cacheWrite, reasoning });
}

export function usageOfCounts(told: Json): Usage | null {
  const counts = countsOf(told);
  return usageOf(counts, isApart(counts));
}

export function usageById(metrics: unknown): [string, Usage][] {
  return asArray(asObject(metrics)["token_usages"]).flatMap((one): [string, Usage][] => {
    const id = asText(asObject(one)["response_id"]);
    const usage = usageOfCounts(asObject(one));
    return id === null || id === "" || usage === null ? [] : [[id, usage]];
  });
}

/** The totals of a run. A cost of nothing beside tokens means that no price was known. */
export function metricsDrafts(metrics: unknown, lane: string, model: string | null): Draft[] {
  const told = asObject(metrics);
  const usage = usageOfCounts(asObject(told["accumulated_token_usage"]));
  const cost = asNumber(told["accumulated_cost"]);
  const usd = cost === null || cost <= 0 ? null : cost;
  if (usage === null && usd === null) return [];
  return [{ kind: "reported", lane, usd, usage: usage === null ? {} : { [model ?? "unknown"]: usage } }];
}

/** The sums of a run as the agent counts them, over all that its models were used for. */
export function totalsDraft(all: readonly Json[], { lane }: HandsRun): Draft[] {
  const usage: Record<string, Usage> = {};
  let usd = 0;
  for (const metrics of all) {
    const of = usageOfCounts(sumOf(metrics) ?? {});
    const model = asText(metrics["model_name"]) ?? "unknown";
    if (of !== null) addOfModel(usage, model, of);
    usd += asNumber(metrics["accumulated_cost"]) ?? 0;
  }
  if (Object.keys(usage).length === 0) return [];
  return [{ kind: "reported", lane, usd: usd > 0 ? usd : null, usage }];
}

/** What a sum grew by since it was counted last; null where it did not. */
export function growthOf(sum: Json, purpose: string, run: HandsRun): Usage | null {
  const now = countsOf(sum);
  const before = run.spent[purpose] ?? { prompt: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  if (now.prompt + now.output <= before.prompt + before.output) return null;
  run.spent = { ...run.spent, [purpose]: now };
  const grown: Spent = {
    prompt: Math.max(0, now.prompt - before.prompt),
    output: Math.max(0, now.output - before.output),
    cacheRead: Math.max(0, now.cacheRead - before.cacheRead),
    cacheWrite: Math.max(0, now.cacheWrite - before.cacheWrite),
    reasoning: Math.max(0, now.reasoning - before.reasoning),
  };
  return usageOf(grown, isApart(now) || isApart(grown));
}

export const sumOf = (metrics: unknown): Json | null => {
  const sum = asObject(metrics)["accumulated_token_usage"];
  return isObject(sum) ? sum : null;
};
