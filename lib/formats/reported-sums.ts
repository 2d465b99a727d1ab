// What an agent counts itself, request after request: the sums of a session's dollars and tokens so far.
import { NO_USAGE, USAGE_FIELDS, type Draft, type Usage } from "#lib/kernel/draft.ts";

export type Sums = { usd: number; usage: Record<string, Usage> };

/** Models whose sums are remembered: the rest is in no sum by model. */
const MODELS = 24;

/** Adds a request. A model whose price the agent does not know costs it nothing: that is no figure. */
export function reportedDrafts(sums: Sums, model: string | null, usage: Usage, usd: number): Draft[] {
  sums.usd += Math.max(0, usd);
  const name = model ?? "";
  if (Object.hasOwn(sums.usage, name) || Object.keys(sums.usage).length < MODELS) addOfModel(sums.usage, name, usage);
  if (sums.usd === 0) return [];
  return [{ kind: "reported", lane: "", usd: Math.round(sums.usd * 1e9) / 1e9, usage: { ...sums.usage } }];
}

/** Adds the usage of a model to what was counted of it so far. */
export function addOfModel(byModel: Record<string, Usage>, model: string, usage: Usage): void {
  const known = Object.hasOwn(byModel, model) ? byModel[model]! : NO_USAGE;
  byModel[model] = Object.fromEntries(USAGE_FIELDS.map((field) => [field, known[field] + usage[field]])) as Usage;
}
