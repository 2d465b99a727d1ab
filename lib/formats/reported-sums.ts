// What an agent counts itself, request after request: the sums of a session's dollars and tokens so far.
import { NO_USAGE, USAGE_FIELDS, type Draft, type Usage } from "#lib/kernel/draft.ts";

export type Sums = { usd: number; usage: Record<string, Usage> };

/** Models whose sums are remembered. */
const MODELS = 24;

/** Adds a request. A model whose price the agent does not know costs it nothing: that is no figure. */
export function reportedDrafts(sums: Sums, model: string | null, usage: Usage, usd: number): Draft[] {
  sums.usd += Math.max(0, usd);
  const name = model ?? "";
  const known = Object.hasOwn(sums.usage, name) ? sums.usage[name]! : NO_USAGE;
  if (known !== NO_USAGE || Object.keys(sums.usage).length < MODELS)
    sums.usage[name] = Object.fromEntries(USAGE_FIELDS.map((field) => [field, known[field] + usage[field]])) as Usage;
  if (sums.usd === 0) return [];
  return [{ kind: "reported", lane: "", usd: Math.round(sums.usd * 1e9) / 1e9, usage: structuredClone(sums.usage) }];
}
