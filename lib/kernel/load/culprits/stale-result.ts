// Results of middling size that nothing named again, and that stayed for long: cleared together, because each clearing
// breaks the cache. Large ones are oversized-output's.
import { largestOf, lastUseOf, outputsOf, oversizedFrom, spanOf, sumTokens, type Output } from "./outputs.ts";
import type { Detector, Suspect } from "./types.ts";

/** Calls without a word of it: of the results that are used again, most are within 20 calls (26 % of tokens are older). */
export const STALE_CALLS = 20;
/** Smaller ones are not worth a clearing. */
const LEAST_TOKENS = 500;
/** Clearing pays when it frees so much at once: at 20,000 tokens a replay saved 17 % where clearing at every step cost 28 %. */
export const CLEARED_AT_ONCE = 20_000;

export const staleResult: Detector = (session) => {
  const limit = oversizedFrom(session.loadLine);
  const stale = outputsOf(session)
    .filter(({ tokens }) => tokens >= LEAST_TOKENS && tokens <= limit)
    .map((output) => ({ ...output, at: Math.max(output.from, output.lastUsed ?? output.from) + STALE_CALLS }))
    .filter(({ at, to }) => at < to)
    .toSorted((a, b) => a.at - b.at || a.seq - b.seq);
  const suspects: Suspect[] = [];
  let pool: Output[] = [];
  for (const output of stale) {
    pool = [...pool.filter(({ to }) => to > output.at), output];
    if (sumTokens(pool) < CLEARED_AT_ONCE) continue;
    suspects.push(suspectOf(pool, output.at));
    pool = [];
  }
  return suspects;
};

function suspectOf(outputs: readonly Output[], at: number): Suspect {
  const largest = largestOf(outputs);
  const never = outputs.filter(({ lastUsed }) => lastUsed === null).length;
  return {
    detector: "stale-result",
    seq: largest.seq,
    seqs: outputs.map(({ seq }) => seq),
    label: `${largest.item.label} and ${outputs.length - 1} more old results`,
    toolName: largest.item.toolName,
    ...spanOf(outputs),
    tokens: sumTokens(outputs),
    confidence: 0.4 + (0.3 * never) / outputs.length,
    lastUsed: lastUseOf(outputs),
    fix: `Clear results that nothing named for ${STALE_CALLS} calls`,
    cure: { do: "drop", seqs: outputs.map(({ seq }) => seq), at },
  };
}
