// Sums of tokens and dollars over calls.
import type { UsageAnswer } from "#lib/wire/usage-schema.ts";

export type Sums = Omit<UsageAnswer["totals"], "cacheShare" | "totalTokens">;

export type Part = {
  calls: number;
  input: number;
  read: number;
  written: number;
  output: number;
  reasoning: number;
  usd: number | null;
  unsure: number;
};

/** `isCut`: compactions are counted too. */
export const emptySums = (isCut = true): Sums => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
  reasoningTokens: 0,
  calls: 0,
  isPartial: false,
  totalCost: 0,
  compactions: isCut ? 0 : null,
});

export function addTo(sums: Sums, part: Part): void {
  sums.inputTokens += part.input;
  sums.outputTokens += part.output;
  sums.cacheCreationTokens += part.written;
  sums.cacheReadTokens += part.read;
  sums.reasoningTokens += part.reasoning;
  sums.calls += part.calls;
  sums.totalCost += part.usd ?? 0;
  sums.isPartial ||= part.unsure === 1;
}

const COUNTS = [
  ...(["inputTokens", "outputTokens", "cacheCreationTokens", "cacheReadTokens", "reasoningTokens", "calls"] as const),
  "totalCost" as const,
];

/** Adds what was summed apart. */
export function addSums(sums: Sums, more: Sums): void {
  for (const name of COUNTS) sums[name] += more[name];
  sums.isPartial ||= more.isPartial;
  if (sums.compactions !== null) sums.compactions += more.compactions ?? 0;
}

export function finished(sums: Sums): UsageAnswer["totals"] {
  const prompt = sums.inputTokens + sums.cacheCreationTokens + sums.cacheReadTokens;
  return {
    ...sums,
    totalTokens: prompt + sums.outputTokens,
    cacheShare: prompt === 0 ? null : sums.cacheReadTokens / prompt,
  };
}

const TOKENS = ["calls", "input", "read", "written", "output", "reasoning"] as const;

/** Adds calls to others of which nothing tells them apart. */
export function joinPart(whole: Part, more: Part): void {
  for (const name of TOKENS) whole[name] += more[name];
  if (more.usd !== null) whole.usd = (whole.usd ?? 0) + more.usd;
  whole.unsure = Math.max(whole.unsure, more.unsure);
}

/**
 * A part of calls for each weight, so that the parts sum to the whole: whole tokens, where the largest remainders are rounded
 * up, and dollars in proportion. One call that asked for two tools is half a call of each.
 */
export function splitPart<Whole extends Part>(whole: Whole, weights: readonly number[]): Whole[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const parts = weights.map((weight) => ({ ...whole, usd: whole.usd === null ? null : (whole.usd * weight) / all }));
  for (const key of TOKENS) {
    const exact = weights.map((weight) => (whole[key] * weight) / all);
    let left = whole[key] - exact.reduce((sum, one) => sum + Math.floor(one), 0);
    const byRest = exact.map((one, i) => ({ i, rest: one - Math.floor(one) })).toSorted((a, b) => b.rest - a.rest);
    for (const { i } of byRest) parts[i]![key] = Math.floor(exact[i]!) + (left-- > 0 ? 1 : 0);
  }
  return parts;
}
