// Counts whose prompt contains what was read from the cache and written to it, as disjoint ones.
import { NO_USAGE, type Usage } from "#lib/kernel/draft.ts";
import { asCount, asWhole } from "./json.ts";

export type PromptCounts = { readonly prompt: unknown; readonly output: unknown } & Partial<
  Readonly<Record<"cached" | "written" | "written1h" | "reasoning", unknown>>
>;

/** Null where neither prompt nor output is named. */
export function splitPrompt({ prompt, output, cached, written, written1h, reasoning }: PromptCounts): Usage | null {
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
    // A part of what was written, which is billed otherwise.
    cacheWrite1h: Math.min(asCount(written1h), cacheWrite),
    output: answered,
    reasoning: Math.min(asCount(reasoning), answered),
  };
}
