// Tokens of OpenHands: of each answer by its id, sums that grow with the run, and totals at its end.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import { asArray, asCost, asCount, asObject, asText, isObject, type Json } from "../json.ts";
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
  const cost = asCost(told["accumulated_cost"]);
  const usd = cost === 0 ? null : cost;
  if (usage === null && usd === null) return [];
  return [{ kind: "reported", lane, usd, usage: usage === null ? {} : { [model ?? "unknown"]: usage } }];
}

/** The sums of a run as the agent counts them, by what its models were used for; without those of before the file. */
export function totalsDraft(all: readonly (readonly [string, Json])[], { lane, earlier }: HandsRun): Draft[] {
  const usage: Record<string, Usage> = {};
  let usd = 0;
  for (const [purpose, metrics] of all) {
    const before = earlier[purpose];
    const now = countsOf(sumOf(metrics) ?? {});
    const grown = before === undefined ? now : since(now, before);
    const of = usageOf(grown, isApart(now) || isApart(grown));
    const model = asText(metrics["model_name"]) ?? "unknown";
    if (of !== null) addOfModel(usage, model, of);
    usd += Math.max(0, (asCost(metrics["accumulated_cost"]) ?? 0) - (before?.usd ?? 0));
  }
  if (Object.keys(usage).length === 0 && usd === 0) return [];
  return [{ kind: "reported", lane, usd: usd > 0 ? usd : null, usage }];
}

/** What a sum grew by since it was counted last; null where it did not. */
export function growthOf(metrics: Json, purpose: string, run: HandsRun): Usage | null {
  const sum = sumOf(metrics);
  if (sum === null) return null;
  const now = countsOf(sum);
  const last = run.spent[purpose];
  if (last === undefined && hasEarlierCalls(sum, now, run)) {
    const usd = asCost(metrics["accumulated_cost"]) ?? 0;
    run.earlier = { ...run.earlier, [purpose]: { ...now, usd } };
    run.spent = { ...run.spent, [purpose]: now };
    return null;
  }
  const before = last ?? NOTHING;
  const isGrown = now.prompt + now.output > before.prompt + before.output;
  if (isGrown || last === undefined) run.spent = { ...run.spent, [purpose]: now };
  if (!isGrown) return null;
  const grown = since(now, before);
  return usageOf(grown, isApart(now) || isApart(grown));
}

const NOTHING: Spent = { prompt: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

const since = (now: Spent, before: Spent): Spent => ({
  prompt: Math.max(0, now.prompt - before.prompt),
  output: Math.max(0, now.output - before.output),
  cacheRead: Math.max(0, now.cacheRead - before.cacheRead),
  cacheWrite: Math.max(0, now.cacheWrite - before.cacheWrite),
  reasoning: Math.max(0, now.reasoning - before.reasoning),
});

/** The first sum of a file that begins in the middle of its run is that of many calls: the last one's tokens stand beside it. */
function hasEarlierCalls(sum: Json, { prompt, output }: Spent, { hasStart }: HandsRun): boolean {
  const last = asCount(sum["per_turn_token"]);
  if (hasStart === true) return false;
  return last > 0 ? prompt + output > last : hasStart === false;
}

/** True where calls have used tokens. */
export function isSpent(metrics: unknown): boolean {
  const { prompt, output } = countsOf(sumOf(metrics) ?? {});
  return prompt + output > 0;
}

export const sumOf = (metrics: unknown): Json | null => {
  const sum = asObject(metrics)["accumulated_token_usage"];
  return isObject(sum) ? sum : null;
};
