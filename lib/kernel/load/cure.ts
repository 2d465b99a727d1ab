// What one cure would have saved: its tokens off each call that carried them, at the price that the call paid for them.
// The agent is held to what it did, and stays are as they were, so re-sent cost ends where a compaction ended it. The
// replay of whole policies is what-if/; this one prices a single culprit in O(calls + items that it touches).
import type { Cure, SessionLoadFacts } from "./culprits/culprit-types.ts";
import { epochsOf, frameOf, offsetAt, ratesAt, readAt, type Frame } from "./prompt-frame.ts";
import { inputUsd, type Split } from "./rates.ts";

export type CureOutcome = {
  /** Tokens off all prompts together. */
  readonly tokens: number;
  /** Dollars at the prices that the calls paid: never more than what is cured cost. Null where none of them has a price. */
  readonly usd: number | null;
  /** … of each call that it changes, by index; those without a price are not there. */
  readonly usdAt: ReadonlyMap<number, number>;
  /** Some calls that it changes have no price: the true sum is more. */
  readonly isPartial: boolean;
  /** … and, beside, what smaller prompts save by a cheaper tier of prices. */
  readonly tierUsd: number | null;
  /** Tokens off the largest prompt of an epoch that it was in: the most of them, where it was in several. */
  readonly offPeak: number;
  readonly after: {
    readonly peak: number;
    readonly promptTokens: number;
    readonly usd: number | null;
    readonly compactions: number;
  };
};

/** Per call: tokens off its prompt, how many of them were read from the cache, and how many more the cache held or lost. */
type Change = { readonly off: Float64Array; readonly offRead: Float64Array; readonly moved: Float64Array };

export function replayCure(session: SessionLoadFacts, cure: Cure): CureOutcome {
  const frame = frameOf(session);
  const change = changeOf(frame, cure);
  let peak = 0;
  let tokens = 0;
  let [own, tier] = [0, 0];
  const usdAt = new Map<number, number>();
  // A cure that touches no call saves nothing, and that is known.
  let [isTouching, isPriced, isPartial] = [false, false, false];
  frame.calls.forEach((call, k) => {
    const off = change.off[k]!;
    const prompt = call.sum - off;
    peak = Math.max(peak, prompt);
    tokens += off;
    if (off === 0 && change.moved[k] === 0) return;
    isTouching = true;
    const before = frame.rates[k]!;
    // A call without a price has none under the cure either: what is saved there is not in the dollars.
    const after = before === null ? null : ratesAt(session, frame, k, prompt);
    if (before === null || after === null) {
      isPartial = true;
      return;
    }
    isPriced = true;
    const split = splitAfter(call, change, k);
    const saved = inputUsd(call, before) - inputUsd(split, before);
    own += saved;
    usdAt.set(k, saved);
    tier += inputUsd(split, before) - inputUsd(split, after);
  });
  const isKnown = isPriced || (!isTouching && frame.usd !== null);
  // A cost of at least nothing says nothing.
  const usd = isKnown && !(isPartial && own === 0) ? own : null;
  return {
    tokens,
    usd,
    usdAt,
    isPartial: isPartial && usd !== null,
    tierUsd: isKnown ? tier : null,
    offPeak: offPeakOf(frame, change.off),
    after: {
      peak,
      promptTokens: frame.promptTokens - tokens,
      usd: frame.usd === null ? null : frame.usd - own - tier,
      compactions: frame.cuts.filter((cut) => !isAvoided(frame, change.off, cut)).length,
    },
  };
}

function offPeakOf(frame: Frame, off: Float64Array): number {
  const offs = epochsOf(frame).map(({ start, end }) => {
    let [before, after] = [0, 0];
    for (let k = start; k < end; k++) {
      before = Math.max(before, frame.calls[k]!.sum);
      after = Math.max(after, frame.calls[k]!.sum - off[k]!);
    }
    return before - after;
  });
  return offs.reduce((most, one) => Math.max(most, one), 0);
}

/** What a call would have read, written and sent uncached: what came anew is off both in proportion, as its cost is shared. */
function splitAfter(call: Split, { off, offRead, moved }: Change, k: number): Split {
  const cacheRead = Math.max(0, call.cacheRead - offRead[k]! + moved[k]!);
  const fresh = off[k]! - offRead[k]! + moved[k]!;
  const tail = call.cacheWrite + call.uncached;
  const left = tail === 0 ? 0 : Math.max(0, 1 - fresh / tail);
  // What the cache lost is written to it again, or sent uncached where nothing was written.
  const isUncached = fresh < 0 && call.cacheWrite === 0;
  const cacheWrite = isUncached ? 0 : fresh < 0 ? call.cacheWrite - fresh : call.cacheWrite * left;
  const uncached = isUncached ? call.uncached - fresh : fresh < 0 ? call.uncached : call.uncached * left;
  // What is written for an hour and for five minutes stays in the parts that it was.
  const cacheWrite1h = call.cacheWrite === 0 ? 0 : cacheWrite * (call.cacheWrite1h / call.cacheWrite);
  return { cacheRead, cacheWrite, cacheWrite1h, uncached };
}

/**
 * A compaction is avoided when all that the next epoch brought would have fitted beside what the cure left: a smaller
 * saving only puts it off. One that a person asked for stays.
 */
function isAvoided({ calls }: Frame, off: Float64Array, { before, after, end, isAutomatic, tokens }: Frame["cuts"][0]) {
  if (!isAutomatic || off[before]! <= 0 || after >= calls.length) return false;
  const floor = calls[after]!.sum - off[after]!;
  let grown = 0;
  for (let k = after; k < end; k++) grown = Math.max(grown, calls[k]!.sum - off[k]! - floor);
  return calls[before]!.sum - off[before]! + grown < tokens;
}

function changeOf(frame: Frame, cure: Cure): Change {
  const n = frame.calls.length;
  const change = { off: new Float64Array(n), offRead: new Float64Array(n), moved: new Float64Array(n) };
  switch (cure.do) {
    case "shrink":
      for (const seq of cure.seqs) take(frame, change, seq, cure.keep, 0);
      break;
    case "trim":
      for (const [i, seq] of cure.seqs.entries()) take(frame, change, seq, cure.keep[i]!, 0);
      break;
    case "omit":
      for (const seq of cure.seqs) take(frame, change, seq, 0, 0);
      break;
    case "drop":
      for (const seq of cure.seqs) take(frame, change, seq, 0, cure.at);
      loseCache(frame, change, cure.seqs, cure.at);
      break;
    case "prefix":
      for (let k = cure.from ?? 0; k < (cure.to ?? n); k++) {
        const call = frame.calls[k]!;
        const off = Math.min(cure.tokens, call.prefix);
        change.off[k] = off;
        change.offRead[k] = Math.min(off, call.hasUsage ? call.cacheRead : 0);
      }
      break;
    case "keep-cache":
      for (const k of cure.calls) change.moved[k] = lostAt(frame, k);
      break;
  }
  return change;
}

/** Takes an item down to `keep` tokens from call `since` on. */
function take(frame: Frame, { off, offRead }: Change, seq: number, keep: number, since: number): void {
  const i = frame.indexOf.get(seq);
  if (i === undefined) return;
  const { from, to, tokens } = frame.items[i]!;
  if (tokens <= keep) return;
  for (let k = Math.max(from, since); k < to; k++) {
    off[k]! += tokens - keep;
    offRead[k]! += Math.max(0, readAt(frame, i, k) - keep);
  }
}

/** What stood behind the first item that was taken out of a cached prompt is written anew at that call. */
function loseCache(frame: Frame, { offRead, moved }: Change, seqs: readonly number[], at: number): void {
  const call = frame.calls[at];
  if (call === undefined || !call.hasUsage) return;
  const first = seqs
    .flatMap((seq) => frame.indexOf.get(seq) ?? [])
    .filter((i) => frame.items[i]!.from < at && frame.items[i]!.to > at)
    .reduce((least, i) => Math.min(least, i), frame.items.length);
  if (first === frame.items.length) return;
  moved[at] = -Math.max(0, call.cacheRead - offRead[at]! - offsetAt(frame, first, at));
}

/** Tokens that a call sent anew although the call before had sent them. */
export function lostAt({ calls }: Frame, k: number): number {
  const [before, call] = [calls[k - 1], calls[k]];
  if (before === undefined || call === undefined) return 0;
  return Math.max(0, Math.min(before.sum, call.sum) - call.cacheRead);
}
