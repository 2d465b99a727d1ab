// Caches that were lost, together by cause: what to do about them is the same.
import { cacheBreaksOf, type CacheBreak, type CacheBreakCause } from "../cache-breaks.ts";
import { callAt, frameOf } from "../frame.ts";
import type { Detector, Suspect } from "./types.ts";

const WORDS: Readonly<
  Record<CacheBreakCause, { readonly label: string; readonly fix: string; readonly confidence: number }>
> = {
  idle: { label: "Cache ended while idle", fix: "Go on sooner, or cache longer", confidence: 0.95 },
  model: { label: "Cache lost with the model", fix: "Stay with one model within a session", confidence: 0.95 },
  prefix: { label: "Cache lost with the prefix", fix: "Leave tools, instructions alone", confidence: 0.8 },
  edited: { label: "Cache lost to a clearing", fix: "Clear more at once, and seldom", confidence: 0.8 },
  unknown: { label: "Cache lost", fix: "See what changed before call", confidence: 0.5 },
};

export const cacheBreak: Detector = (session) => {
  const frame = frameOf(session);
  return [...Map.groupBy(cacheBreaksOf(session), ({ cause }) => cause)].map(([cause, breaks]): Suspect => {
    const worst = breaks.reduce((most, one) => (one.tokens > most.tokens ? one : most));
    const { label, fix, confidence } = WORDS[cause];
    return {
      detector: "cache-break",
      seq: frame.calls[worst.call]!.firstSeq,
      seqs: breaks.map(({ call }) => frame.calls[call]!.firstSeq),
      label: breaks.length === 1 ? label : `${label}, ${breaks.length} times`,
      toolName: null,
      from: breaks[0]!.call,
      last: breaks.at(-1)!.call,
      tokens: sum(breaks),
      confidence,
      lastUsed: null,
      fix: cause === "unknown" ? `${fix} ${callAt(frame, worst.call)}` : fix,
      cure: { do: "keep-cache", calls: breaks.map(({ call }) => call) },
    };
  });
};

const sum = (breaks: readonly CacheBreak[]): number => breaks.reduce((all, { tokens }) => all + tokens, 0);
