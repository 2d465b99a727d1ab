// What every detector and every replay asks of a session's ledger, worked out once: what each call cost, which items its
// cache read, where the context was cut.
import { costsOf, type ItemCost } from "./cost.ts";
import { isAutomatic } from "./compaction-state.ts";
import type { SessionLoadFacts } from "./culprits/culprit-types.ts";
import type { LedgerCall, LedgerItem, Rates } from "./ledger-types.ts";
import { peakCallOf } from "./peak-call.ts";
import { inputRates } from "./prompt-size.ts";

/** A full compaction: the last call before it and the first after it, as indexes. */
export type Cut = {
  readonly seq: number;
  readonly before: number;
  readonly after: number;
  /** Index after the last call before the next cut. */
  readonly end: number;
  readonly isAutomatic: boolean;
  /** Prompt that it came at. */
  readonly tokens: number;
};

export type Frame = {
  readonly items: readonly LedgerItem[];
  readonly calls: readonly LedgerCall[];
  readonly indexOf: ReadonlyMap<number, number>;
  readonly cuts: readonly Cut[];
  /** Items before this index were read from the cache at the call, those behind it were not … */
  readonly cached: Int32Array;
  /** … and so many tokens of the one at it. */
  readonly cachedPart: Float64Array;
  /** What each item cost over all the calls that carried it. */
  readonly costs: readonly ItemCost[];
  /** Dollars of each call's input; null without a price, or where the call reports no prompt. */
  readonly callUsd: readonly (number | null)[];
  readonly promptTokens: number;
  /** The largest prompt that is reported, and an estimate where none is, as lists have it; and its call's index, -1 without calls. */
  readonly peak: number;
  readonly peakIndex: number;
  /** The largest prompt of all, estimates too. */
  readonly most: number;
  /** Rates of each call at the prompt that it had … */
  readonly rates: readonly (Rates | null)[];
  /** … and whether a smaller prompt would have had the same. */
  readonly isFlat: readonly boolean[];
  /** Dollars of the input of all calls that have a price; null when none has. Calls that report no prompt count as nothing. */
  readonly usd: number | null;
  /** Calls that report usage and have no price: with any, all dollars are a lower bound. */
  readonly unpriced: number;
};

const frames = new WeakMap<SessionLoadFacts, Frame>();

export function frameOf(session: SessionLoadFacts): Frame {
  let frame = frames.get(session);
  if (frame === undefined) frames.set(session, (frame = makeFrame(session)));
  return frame;
}

function makeFrame(session: SessionLoadFacts): Frame {
  const { calls, items } = session.ledger;
  const indexOf = new Map<number, number>();
  items.forEach(({ seq }, i) => {
    if (seq !== null) indexOf.set(seq, i);
  });
  const rates = calls.map((call) => inputRates(call, session.ratesOf));
  const costs = costsOf(session.ledger, session.ratesOf);
  const isFlat = calls.map((call, k) => isSame(rates[k]!, rates[k] === null ? null : session.ratesOf(call, 1)));
  return {
    items,
    calls,
    indexOf,
    cuts: cutsOf(session),
    cached: costs.cached,
    cachedPart: costs.cachedPart,
    costs: costs.items,
    callUsd: costs.calls,
    promptTokens: calls.reduce((sum, call) => sum + call.sum, 0),
    ...peakOf(calls),
    rates,
    isFlat,
    usd: usdOf(costs.calls),
    unpriced: calls.filter((call, k) => call.sum > 0 && call.hasUsage && costs.calls[k] === null).length,
  };
}

const usdOf = (callUsd: readonly (number | null)[]): number | null =>
  callUsd.reduce((sum, one) => (one === null ? sum : (sum ?? 0) + one), null);

/** Prices go by tiers of the prompt's size: what is the same at one token and at all of them is the same between. */
const isSame = (a: Rates | null, b: Rates | null): boolean =>
  a !== null &&
  b !== null &&
  a.uncached === b.uncached &&
  a.read === b.read &&
  a.write === b.write &&
  a.write1h === b.write1h;

/** Rates of a call whose prompt a replay made smaller. */
export const ratesAt = (
  session: SessionLoadFacts,
  { rates, isFlat, calls, most }: Frame,
  k: number,
  prompt: number,
): Rates | null => (isFlat[k]! && prompt <= most ? rates[k]! : session.ratesOf(calls[k]!, prompt));

function peakOf(calls: readonly LedgerCall[]): Pick<Frame, "peak" | "peakIndex" | "most"> {
  const peakIndex = peakCallOf(
    calls,
    ({ sum }) => sum,
    ({ reported }) => reported !== null,
  );
  const most = calls.reduce((all, { sum }) => Math.max(all, sum), 0);
  return { peak: calls[peakIndex]?.sum ?? 0, peakIndex, most };
}

function cutsOf({ ledger: { calls }, compactions }: SessionLoadFacts): Cut[] {
  const found = compactions
    .filter(({ kind }) => kind === "full")
    .map(({ seq, trigger, tokensBefore }) => {
      const next = calls.findIndex(({ firstSeq }) => firstSeq > seq);
      const after = next < 0 ? calls.length : next;
      const sum = calls[after - 1]?.sum ?? 0;
      const tokens = sum > 0 ? sum : (tokensBefore ?? 0);
      return { seq, before: after - 1, after, isAutomatic: isAutomatic(trigger), tokens };
    })
    // Two in a row without a call between them cut once: the later one stands.
    .filter(({ before, after }, i, all) => before >= 0 && all[i + 1]?.after !== after);
  return found.map((cut, i) => ({ ...cut, end: found[i + 1]?.after ?? calls.length }));
}

/** Room that an item takes in a prompt: what was taken out takes none. */
const held = ({ tokens }: LedgerItem): number => Math.max(0, tokens);

/** Tokens of an item that a call read from its cache. */
export function readAt(frame: Frame, i: number, k: number): number {
  const at = frame.cached[k]!;
  const tokens = held(frame.items[i]!);
  return i < at ? tokens : i > at ? 0 : frame.cachedPart[k]!;
}

/** Tokens before an item in a call's prompt. */
export function offsetAt({ items }: Frame, i: number, k: number): number {
  let sum = 0;
  for (let j = 0; j < i; j++) if (items[j]!.from <= k && items[j]!.to > k) sum += held(items[j]!);
  return sum;
}

/** The epochs as spans of call indexes. */
export function epochsOf({ calls }: Frame): { epoch: number; start: number; end: number }[] {
  const spans: { epoch: number; start: number; end: number }[] = [];
  calls.forEach(({ epoch }, k) => {
    const open = spans.at(-1);
    if (open?.epoch === epoch) open.end = k + 1;
    else spans.push({ epoch, start: k, end: k + 1 });
  });
  return spans;
}

/** A call's number as people count it, by index. */
export const callAt = ({ calls }: Frame, k: number): number => calls[k]?.call ?? calls.at(-1)?.call ?? 0;
