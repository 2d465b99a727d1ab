// An exploration that nothing named again: many results of middling size that came in close together, and stayed for long.
// They are cleared at once, because each clearing breaks the cache. Large ones are oversized-output's.
import { largestOf, lastUseOf, outputsOf, oversizedFrom, spanOf, sumTokens, type Output } from "./outputs.ts";
import type { Detector, Suspect } from "./culprit-types.ts";

/** Calls without a word of it. Results older than this are 26 % of all that real sessions sent: staleness alone is ordinary. */
const STALE_CALLS = 20;
/** Smaller ones are not worth a clearing. */
const LEAST_TOKENS = 500;
/** What came in within so many calls is one exploration. */
const TOGETHER_CALLS = 30;
/**
 * Ordinary work leaves up to a fifth of the load line behind in so many calls (testing-work.ts; real sessions less); and a
 * clearing that frees less than 20,000 tokens costs more in cache than it saves.
 */
const LUMP_SHARE = 0.22;
const LUMP_LEAST = 20_000;

type Stale = Output & { readonly at: number };

export const staleResult: Detector = (session) => {
  const limit = oversizedFrom(session.loadLine);
  const least = Math.max(LUMP_LEAST, LUMP_SHARE * (session.loadLine ?? 0));
  const stale = outputsOf(session)
    .filter(({ tokens }) => tokens >= LEAST_TOKENS && tokens <= limit)
    .map((output): Stale => ({ ...output, at: Math.max(output.from, output.lastUsed ?? output.from) + STALE_CALLS }))
    .filter(({ at, to }) => at < to);
  return lumpsOf(stale, least).map(suspectOf);
};

/** Spans of results that came together and weigh enough; each result is in one of them at most. */
function lumpsOf(stale: readonly Stale[], least: number): Stale[][] {
  const lumps: Stale[][] = [];
  let open: Stale[] = [];
  for (const output of stale) {
    const full = sumTokens(open) >= least;
    const goesOn = open.length > 0 && output.to === open[0]!.to && output.from < open[0]!.from + TOGETHER_CALLS;
    if (full && !goesOn) {
      lumps.push(open);
      open = [];
    }
    open = [...open.filter(({ from, to }) => to === output.to && output.from < from + TOGETHER_CALLS), output];
  }
  return sumTokens(open) >= least ? [...lumps, open] : lumps;
}

function suspectOf(outputs: readonly Stale[]): Suspect {
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
    // That nobody named it is a weak sign: a more particular one goes before it.
    confidence: 0.3 + (0.2 * never) / outputs.length,
    lastUsed: lastUseOf(outputs),
    fix: `Compact, or clear results unused for ${STALE_CALLS} calls`,
    cure: { do: "drop", seqs: outputs.map(({ seq }) => seq), at: clearedAt(outputs) },
  };
}

/** When the last of them is stale, or nine tenths are where that is much earlier: one straggler holds up no clearing. */
function clearedAt(outputs: readonly Stale[]): number {
  const times = outputs.map(({ at }) => at).toSorted((a, b) => a - b);
  return times[Math.floor((times.length - 1) * 0.9)]!;
}
