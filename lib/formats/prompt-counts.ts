// Counts whose prompt contains what was read from the cache and written to it, as disjoint ones.
import { NO_USAGE, type Usage } from "#lib/kernel/draft.ts";
import { asCount, asWhole } from "./json.ts";

export type PromptCounts = { readonly prompt: unknown; readonly output: unknown } & Partial<
  Readonly<Record<"cached" | "written" | "reasoning", unknown>>
>;

/** Null where neither prompt nor output is named. */
export function splitPrompt({ prompt, output, cached, written, reasoning }: PromptCounts): Usage | null {
  if (asWhole(prompt) === null && asWhole(output) === null) return null;
  const [sent, answered] = [asCount(prompt), asCount(output)];
  const cacheRead = asCount(cached);
  // A prompt that is smaller than what was cached of it stands beside it: nothing is lost either way.
  const rest = cacheRead > sent ? sent : sent - cacheRead;
  const cacheWrite = Math.min(asCount(written), rest);
  return {
    ...NO_USAGE,
    inputUncached: rest - cacheWrite,
    cacheRead,
    cacheWrite,
    output: answered,
    reasoning: Math.min(asCount(reasoning), answered),
  };
}
