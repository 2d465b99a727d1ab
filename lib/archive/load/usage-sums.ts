// Sums of tokens and dollars over calls.
import type { UsageAnswer } from "#lib/wire/usage-schema.ts";

export type Sums = Omit<UsageAnswer["totals"], "cacheShare" | "totalTokens">;

type Part = {
  readonly calls: number;
  readonly input: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
  readonly reasoning: number;
  readonly usd: number | null;
  readonly unsure: number;
};

export const emptySums = (): Sums => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
  reasoningTokens: 0,
  calls: 0,
  isPartial: false,
  totalCost: 0,
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

export function finished(sums: Sums): UsageAnswer["totals"] {
  const prompt = sums.inputTokens + sums.cacheCreationTokens + sums.cacheReadTokens;
  return {
    ...sums,
    totalTokens: prompt + sums.outputTokens,
    cacheShare: prompt === 0 ? null : sums.cacheReadTokens / prompt,
  };
}
