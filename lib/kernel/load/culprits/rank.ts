// From suspects to culprits: each is priced by one replay of its cure, what matters little is not named, what two detectors
// named is named once, and the costliest comes first.
import { lostAt, replayCure, type CureOutcome } from "../cure.ts";
import { frameOf, type Frame } from "../prompt-frame.ts";
import { sessionState } from "../session-state.ts";
import { LIMITS } from "../../limits.ts";
import { tailRate } from "../rates.ts";
import type { Grade, LedgerItem } from "../ledger-types.ts";
import { DETECT } from "./index.ts";
import {
  DETECTORS,
  type AlsoAvoided,
  type Culprit,
  type Cure,
  type SessionLoadFacts,
  type Suspect,
} from "./culprit-types.ts";

export type CulpritOptions = {
  /** A culprit saves at least this share of what the session's input cost; of its prompt tokens where that is not known. */
  readonly leastShare?: number;
  /** … and so many tokens over all calls. */
  readonly leastTokens?: number;
  readonly limit?: number;
};

/**
 * Where a context blew up, what is named saves a hundredth of the session's input cost; where it did not, four hundredths:
 * below that ordinary reading is not told from waste (planted.test.ts prints how often it would be).
 */
const BLOWN_SHARE = 0.01;
const CALM_SHARE = 0.04;
const LEAST_TOKENS = 20_000;

export type Culprits = {
  readonly culprits: readonly Culprit[];
  /** Culprits beyond the limit. */
  readonly leftOut: number;
};

export const culpritsOf = (session: SessionLoadFacts, options: CulpritOptions = {}): readonly Culprit[] =>
  rankCulprits(session, options).culprits;

export function rankCulprits(session: SessionLoadFacts, options: CulpritOptions = {}): Culprits {
  const frame = frameOf(session);
  const { limit = LIMITS.culprits, leastTokens = LEAST_TOKENS } = options;
  const least = {
    tokens: leastTokens,
    share: options.leastShare ?? (sessionState(session).state === "fine" ? CALM_SHARE : BLOWN_SHARE),
  };
  const found = DETECTORS.flatMap((detector) => DETECT[detector](session))
    .map((suspect) => priced(session, frame, suspect))
    .filter((culprit) => matters(frame, culprit, least));
  const culprits = named(session, frame, found)
    .filter((culprit) => matters(frame, culprit, least))
    .toSorted(byAvoidable(isPriced(frame)));
  return { culprits: culprits.slice(0, limit), leftOut: Math.max(0, culprits.length - limit) };
}

function matters(frame: Frame, culprit: Culprit, least: { tokens: number; share: number }): boolean {
  const { avoidableTokens, avoidableUsd, tokens, cure } = culprit;
  if ((cure.do === "keep-cache" ? tokens : avoidableTokens) < least.tokens) return false;
  // A clearing may free tokens and cost more than it saves: then it is no cure.
  if (isPriced(frame) && avoidableUsd !== null && frame.usd !== null)
    return avoidableUsd > 0 && avoidableUsd >= least.share * frame.usd;
  return avoidableTokens >= least.share * frame.promptTokens;
}

/** Where calls have no price, or all were paid for in another session, tokens say what matters. */
const isPriced = (frame: Frame): boolean => frame.usd !== null && frame.usd > 0 && frame.unpriced === 0;

const byAvoidable =
  (inUsd: boolean) =>
  (a: Culprit, b: Culprit): number =>
    (inUsd ? (b.avoidableUsd ?? 0) - (a.avoidableUsd ?? 0) : b.avoidableTokens - a.avoidableTokens) ||
    b.offPeak - a.offPeak ||
    (a.seq ?? 0) - (b.seq ?? 0);

/** How much would be saved, times how sure it is. */
const worthOf = ({ confidence, avoidableUsd, avoidableTokens }: Culprit, inUsd: boolean): number =>
  confidence * (inUsd ? (avoidableUsd ?? 0) : avoidableTokens);

/** Events are named once, by what is worth most; what was named by half already is not named again. */
function named(session: SessionLoadFacts, frame: Frame, culprits: readonly Culprit[]): Culprit[] {
  const taken = new Set<number>();
  const kept: Culprit[] = [];
  for (const culprit of culprits.toSorted((a, b) => worthOf(b, isPriced(frame)) - worthOf(a, isPriced(frame)))) {
    const seqs = culprit.cure.do === "prefix" || culprit.cure.do === "keep-cache" ? [] : culprit.cure.seqs;
    const free = seqs.filter((seq) => !taken.has(seq));
    const lost = tokensOf(frame, seqs) - tokensOf(frame, free);
    if (lost > 0.5 * tokensOf(frame, seqs)) continue;
    for (const seq of free) taken.add(seq);
    kept.push(free.length === seqs.length ? culprit : priced(session, frame, only(frame, culprit, free)));
  }
  return kept;
}

/** A suspect that is made of some of its events only. */
function only(frame: Frame, suspect: Suspect, seqs: readonly number[]): Suspect {
  const items = itemsOf(frame, seqs).toSorted((a, b) => b.tokens - a.tokens);
  return {
    ...suspect,
    seq: suspect.detector === "compaction-thrash" ? suspect.seq : (items[0]?.seq ?? null),
    seqs,
    from: Math.min(...items.map(({ from }) => from)),
    last: Math.max(...items.map(({ to }) => to - 1)),
    tokens: tokensOf(frame, seqs),
    cure: cureOf(suspect.cure, seqs),
  };
}

function cureOf(cure: Cure, seqs: readonly number[]): Cure {
  if (cure.do !== "trim") return { ...cure, seqs } as Cure;
  const keep = new Map(cure.seqs.map((seq, i) => [seq, cure.keep[i]!]));
  return { do: "trim", seqs, keep: seqs.map((seq) => keep.get(seq)!) };
}

const itemsOf = ({ items, indexOf }: Frame, seqs: readonly number[]): LedgerItem[] =>
  seqs.flatMap((seq) => {
    const i = indexOf.get(seq);
    return i === undefined ? [] : [items[i]!];
  });

const tokensOf = (frame: Frame, seqs: readonly number[]): number =>
  itemsOf(frame, seqs).reduce((sum, { tokens }) => sum + tokens, 0);

function priced(session: SessionLoadFacts, frame: Frame, suspect: Suspect): Culprit {
  const outcome = replayCure(session, suspect.cure);
  const items = suspect.cure.do === "prefix" || suspect.cure.do === "keep-cache" ? [] : itemsOf(frame, suspect.seqs);
  return {
    ...suspect,
    ...gradeOf(items, suspect),
    ...lifetimeOf(frame, suspect, items, outcome),
    avoidableTokens: outcome.tokens,
    avoidableUsd: outcome.usd,
    isPartial: outcome.isPartial,
    also: alsoOf(frame, outcome),
    offPeak: outcome.offPeak,
    whatIf: outcome.after,
  };
}

/** The least sure of its items speaks for all; errors of single items are taken to be independent. */
function gradeOf(items: readonly LedgerItem[], { tokens, cure }: Suspect): { grade: Grade; plusMinus: number } {
  if (cure.do === "keep-cache") return { grade: "exact", plusMinus: 0 };
  if (items.length === 0) return { grade: "estimated", plusMinus: Math.ceil(tokens * UNSEEN) };
  const grades = new Set(items.map(({ grade }) => grade));
  const grade = grades.has("estimated") ? "estimated" : grades.has("tight") ? "tight" : "exact";
  return { grade, plusMinus: Math.ceil(Math.sqrt(items.reduce((sum, { plusMinus }) => sum + plusMinus ** 2, 0))) };
}

/** Schemas and what is attached again are no items: their size is known as well as any estimate's. */
const UNSEEN = 0.35;

/** A cent and more; a cure that frees no tokens spares no compaction. */
function alsoOf(frame: Frame, { tierUsd, tokens, after }: CureOutcome): AlsoAvoided[] {
  const spared = tokens > 0 ? frame.cuts.length - after.compactions : 0;
  return [
    ...(tierUsd !== null && tierUsd >= 0.005 ? [{ what: "tier", count: 1, usd: tierUsd } as const] : []),
    ...(spared > 0 ? [{ what: "compaction", count: spared, usd: null } as const] : []),
  ];
}

type Lifetime = Pick<Culprit, "callsResident" | "lifetimeTokens" | "lifetimeUsd">;

function lifetimeOf(
  frame: Frame,
  { cure, from, last, tokens }: Suspect,
  items: readonly LedgerItem[],
  outcome: CureOutcome,
): Lifetime {
  // What a lost cache sent again it sent once; the rest of a prefix is as long as its cure.
  if (cure.do === "keep-cache")
    return { callsResident: cure.calls.length, lifetimeTokens: tokens, lifetimeUsd: resentUsd(frame, cure.calls) };
  if (cure.do === "prefix")
    return { callsResident: last - from + 1, lifetimeTokens: outcome.tokens, lifetimeUsd: outcome.usd };
  const costs = items.map(({ seq }) => frame.costs[frame.indexOf.get(seq!)!]!);
  return {
    callsResident: callsOf(items),
    lifetimeTokens: costs.reduce((sum, cost) => sum + cost.lifetimeTokens, 0),
    lifetimeUsd: costs.reduce<number | null>(
      (sum, { lifetimeUsd }) => (lifetimeUsd === null ? sum : (sum ?? 0) + lifetimeUsd),
      null,
    ),
  };
}

/** What it cost to send again what the cache had lost. */
function resentUsd(frame: Frame, calls: readonly number[]): number | null {
  let usd: number | null = null;
  for (const k of calls) {
    const rates = frame.rates[k]!;
    if (rates === null) continue;
    usd = (usd ?? 0) + lostAt(frame, k) * tailRate(frame.calls[k]!, rates);
  }
  return usd;
}

/** Calls that carried at least one of the items, which come in order of their first. */
function callsOf(items: readonly LedgerItem[]): number {
  let until = 0;
  let calls = 0;
  for (const { from, to } of items.toSorted((a, b) => a.from - b.from)) {
    calls += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return calls;
}
