// Three short lines that say why a context filled up: what happened and what filled it, the most expensive item, what to do
// first. Made as clauses, so that the page, the command line and Markdown say the same and each name leads to its event.
import { baseOf, memoryLabel, partOf } from "./base.ts";
import { isVisible, worstOf, type BlowUp } from "./blow-ups.ts";
import { isRead, isSearch } from "./culprits/outputs.ts";
import type { Culprit, SessionLoadFacts } from "./culprits/culprit-types.ts";
import { epochsOf, frameOf, type Frame } from "./prompt-frame.ts";
import { sessionState } from "./session-state.ts";
import type { SessionState } from "./compaction-state.ts";
import type { LedgerCall, LedgerItem } from "./ledger-types.ts";
import { exactly } from "../exactly.ts";
import { dollars, estimatedUsd, percent, roundly, shortly } from "./load-labels.ts";
import { surplusShare } from "./log-surplus.ts";

export type VerdictClause = {
  /** 0 to 2: each line is shown by itself. */
  readonly line: number;
  readonly text: string;
  /** A figure or a name that the eye should find. */
  readonly strong: boolean;
  readonly seq: number | null;
  readonly call: number | null;
};

/** A replay that offloads results over so many tokens: its peak, and the compactions it would have needed. */
export type WhatIfPeak = { readonly offload: number; readonly peak: number; readonly compactions?: number };

export type Verdict = {
  readonly state: SessionState;
  /** Compactions that the agent made by itself. */
  readonly automatic: number;
  readonly clauses: readonly VerdictClause[];
  /** The lines, one after the other. */
  readonly text: string;
  /** The blow-up that it is about; null when there was none. */
  readonly worst: BlowUp | null;
};

/** `whatIfPeak` is asked only where no culprit says what to do. */
export function verdictOf(
  session: SessionLoadFacts,
  blowUps: readonly BlowUp[],
  culprits: readonly Culprit[],
  whatIfPeak: () => WhatIfPeak | null,
): Verdict {
  const frame = frameOf(session);
  const { state, automatic } = sessionState(session);
  // What is said of compactions is said of one: the fullest of them.
  const cuts = blowUps.filter(({ kind }) => kind === "compaction");
  const worst = worstOf(state === "compacted" && cuts.length > 0 ? cuts : blowUps);
  const lines = linesOf({ session, frame, worst, state, automatic, blowUps, culprits, whatIfPeak });
  const clauses = lines
    .filter((line) => line.length > 0)
    .flatMap((line, n) => line.map((clause): VerdictClause => ({ line: n, ...clause })));
  return { state, automatic, clauses, text: verdictText(clauses), worst };
}

export function verdictText(clauses: readonly VerdictClause[]): string {
  const lines = Map.groupBy(clauses, ({ line }) => line);
  return [...lines.values()].map((line) => line.map(({ text }) => text).join("")).join(" ");
}

type Piece = Omit<VerdictClause, "line">;

const say = (text: string): Piece => ({ text, strong: false, seq: null, call: null });
const stress = (text: string, target: { seq?: number | null; call?: number | null } = {}): Piece => ({
  text,
  strong: true,
  seq: target.seq ?? null,
  call: target.call ?? null,
});

type Case = {
  readonly session: SessionLoadFacts;
  readonly frame: Frame;
  readonly worst: BlowUp | null;
  readonly state: SessionState;
  readonly automatic: number;
  readonly blowUps: readonly BlowUp[];
  readonly culprits: readonly Culprit[];
  readonly whatIfPeak: () => WhatIfPeak | null;
};

function linesOf(one: Case): Piece[][] {
  const { frame } = one;
  if (frame.calls.length === 0) return [[say("No model call yet.")]];
  const isReported = frame.calls.some(({ reported }) => reported !== null);
  const costliest = costliestOf(frame);
  const unsure = isReported ? [] : [say(" All figures are estimated: the file reports no prompt tokens.")];
  const fill = fillOf(one);
  const lines = [[...headline(one), ...fill.pieces, ...unsure], itemLine(frame, costliest)];
  return [...lines, adviceOf(one, costliest, fill.isKnown)];
}

/**
 * Index of the call that the first line is about: the compacted or refused one, and of several compactions the fullest call
 * there was. Null where it is the whole session.
 */
function subjectOf({ frame, worst, state, automatic }: Case): number | null {
  if (worst === null || (state !== "refused" && state !== "compacted")) return null;
  const isFullest = state !== "compacted" || automatic === 1 || worst.kind !== "compaction";
  return isFullest || frame.calls[worst.index]!.sum >= frame.peak ? worst.index : frame.peakIndex;
}

function headline(one: Case): Piece[] {
  const { session, frame, worst, state, automatic, blowUps } = one;
  const { loadLine } = session;
  const at = (call: LedgerCall): string =>
    loadLine === null ? `${sizeOf(call)} tokens` : `${sizeOf(call)} of ${exactly(loadLine)}`;
  if (worst !== null && (state === "refused" || (state === "compacted" && worst.kind === "compaction"))) {
    const k = subjectOf(one)!;
    const call = frame.calls[k]!;
    const target = { seq: k === worst.index ? worst.seq : null, call: call.call };
    if (state === "compacted")
      return automatic === 1
        ? [stress(`Compacted (automatic) at call ${call.call}`, target), say(`: ${at(call)}.`)]
        : [stress(`Compacted ${automatic}× (automatic)`, target), say(`, fullest at call ${call.call}: ${at(call)}.`)];
    const count = blowUps.filter(({ kind }) => kind === "overflow").length;
    const often = count === 1 ? "" : ` ${count}×, first`;
    return [stress(`Refused as too long${often} after call ${worst.call}`, target), say(`: ${at(call)}.`)];
  }
  const top = frame.calls[frame.peakIndex]!;
  const target = { seq: null, call: top.call };
  if (loadLine === null) return [say("Peak: "), stress(`${sizeOf(top)} tokens`, target), say(` at call ${top.call}.`)];
  const isTiny = frame.peak / loadLine < TINY;
  const share = stress(`${tildeOf(top)}${isTiny ? "1 %" : percent(frame.peak / loadLine)}`, target);
  if (state === "compacted" && worst?.kind !== "compaction")
    return [
      stress(automatic === 1 ? "Compacted (automatic)" : `Compacted ${automatic}× (automatic)`),
      say(isTiny ? ", own calls below " : ", own calls at most "),
      share,
      say(" of the line."),
    ];
  if (state === "near") return [say("Near the limit: "), share, say(` of the line at call ${top.call}: ${at(top)}.`)];
  return [say(isTiny ? "Always below " : "Never above "), share, say(" of the line.")];
}

/** What is less would read "never above <1 %". */
const TINY = 0.005;

const tildeOf = ({ reported }: LedgerCall): string => (reported === null ? "~" : "");
const sizeOf = (call: LedgerCall): string => `${tildeOf(call)}${exactly(call.sum)}`;

/** From half of everything sent the base is what filled the context: it is 43 % of what real sessions send. */
const LARGE_BASE = 0.5;
/** From half on, the log does not say what filled it: 1 % is usual. */
const MOSTLY_UNKNOWN = 0.5;
const LARGEST = 10;

/** What filled it, as a share of all that was sent: of the epoch that it is about, or of the whole session. */
function fillOf(one: Case): { readonly pieces: Piece[]; readonly isKnown: boolean } {
  const { session, frame } = one;
  const subject = subjectOf(one);
  const span =
    subject === null
      ? { start: 0, end: frame.calls.length }
      : epochsOf(frame).find(({ start, end }) => start <= subject && end > subject)!;
  const { start, end } = span;
  const base = baseOf(session, start, end);
  const where = subject !== null && epochsOf(frame).length > 1 ? "sent in this epoch" : "sent";
  const known = (share: number, rest: string, before = " "): { pieces: Piece[]; isKnown: boolean } => ({
    pieces: [say(before), stress(percent(share)), say(` of tokens ${where}${rest}`)],
    isKnown: true,
  });
  const calls = frame.calls.slice(start, end);
  const all = calls.reduce((sum, call) => sum + call.sum, 0);
  // Shares of what was reported are over 100 % where the log holds more than that.
  const surplus = (): { pieces: Piece[]; isKnown: boolean } => ({
    pieces: [say(" The log holds "), stress(percent(surplusShare(calls))), say(" more than the reported prompts.")],
    isKnown: true,
  });
  if (base.share > 1) return surplus();
  if (base.share >= LARGE_BASE) return known(base.share, ": system prompt, tools, memory files.");
  const unknown = calls.reduce((sum, { unattributed }) => sum + Math.max(0, unattributed), 0);
  if (all > 0 && unknown >= MOSTLY_UNKNOWN * all)
    return { ...known(unknown / all, ": not explained by the log."), isKnown: false };
  const sentBy = ({ from, to, tokens }: LedgerItem): number =>
    Math.max(0, tokens) * Math.max(0, Math.min(to, end) - Math.max(from, start));
  const sizes = frame.items
    .filter(isVisible)
    .map(sentBy)
    .filter((sent) => sent > 0)
    .toSorted((a, b) => b - a)
    .slice(0, LARGEST);
  if (sizes.length === 0 || all === 0) return { pieces: [], isKnown: true };
  const share = sizes.reduce((sum, sent) => sum + sent, 0) / all;
  if (share > 1) return surplus();
  return known(share, ".", sizes.length === 1 ? " 1 item is " : ` ${sizes.length} items are `);
}

/** The item of the conversation that cost most, by the figure that every table has for it. */
function costliestOf({ items, costs, usd }: Frame): number {
  // Dollars and tokens are not compared: where some calls have no price, an item of theirs alone comes after those with one.
  const worth = (i: number): number => (usd === null ? costs[i]!.lifetimeTokens : (costs[i]!.lifetimeUsd ?? 0));
  return items.reduce((most, item, i) => (canCost(item) && (most < 0 || worth(i) > worth(most)) ? i : most), -1);
}

/** Of the base a person writes the memory files alone: listings are told with it. */
function canCost(item: LedgerItem): boolean {
  const part = partOf(item);
  return isVisible(item) && item.tokens > 0 && (part === null || part === "memory");
}

/** Sums in another order differ in their last digits. */
const ROUNDING = 1.000_001;

function itemLine({ items, calls, costs, usd }: Frame, i: number): Piece[] {
  const item = items[i];
  if (item === undefined) return [];
  const { lifetimeUsd, lifetimeTokens } = costs[i]!;
  const { call } = calls[item.from]!;
  const times = item.to - item.from;
  // Where the log holds more than the reported prompts, an item may come to more than was paid for all of them.
  const isPaid = lifetimeUsd !== null && (usd === null || lifetimeUsd <= usd * ROUNDING);
  const cost = !isPaid ? `${tokensOf({ ...item, tokens: lifetimeTokens })} tokens in all` : dollars(lifetimeUsd);
  return [
    say("Most expensive: "),
    stress(nameOf(partOf(item) === "memory" ? memoryLabel(item.label) : item.label || kindOf(item)), {
      seq: item.seq,
      call,
    }),
    say(
      `, ${isRead(item.toolName) || isSearch(item.toolName) ? "read" : "added"} at call ${call} with ${tokensOf(item)}, `,
    ),
    say(`sent ${exactly(times)}×: `),
    stress(cost),
    say("."),
  ];
}

/** A command of many lines is told by its beginning; a line of the verdict fits 1,090 px at 18 px a line. */
const NAME_CHARS = 40;
const nameOf = (label: string): string => (label.length <= NAME_CHARS ? label : `${label.slice(0, NAME_CHARS - 1)}…`);

/** `Reasoning`: what its provider sealed has no text to be named by. */
const kindOf = ({ kind }: LedgerItem): string => `${kind[0]!.toUpperCase()}${kind.slice(1)}`;

const tokensOf = ({ tokens, grade }: LedgerItem): string => `${grade === "estimated" ? "~" : ""}${shortly(tokens)}`;

/** What to do first: what was refused needs room, all else costs money. An item that the line before names is not named again. */
function adviceOf({ state, culprits, whatIfPeak, frame }: Case, costliest: number, isKnown: boolean): Piece[] {
  const first = (state === "refused" ? culprits.find(({ offPeak }) => offPeak > 0) : undefined) ?? culprits[0];
  if (first === undefined && state === "fine") return isKnown ? [say("Nothing stands out.")] : [];
  if (first === undefined) return offloaded(frame, whatIfPeak());
  const isNamed = first.seqs.includes(frame.items[costliest]?.seq ?? -1) && first.seqs.length === 1;
  const saved = estimatedUsd(first.avoidableUsd, first.isPartial) ?? `~${shortly(first.avoidableTokens)} tokens`;
  return [
    say("First: "),
    ...(isNamed ? [] : [stress(nameOf(first.label), { seq: first.seq }), say(": ")]),
    say(`${first.fix[0]!.toLowerCase()}${first.fix.slice(1)} (`),
    stress(`${saved} avoidable`),
    say(")."),
  ];
}

/** A replay is a few percent sure at best: less is not said. */
const PEAK_LOWER = 0.98;

function offloaded({ most, cuts }: Frame, replayed: WhatIfPeak | null): Piece[] {
  if (replayed === null) return [];
  const { offload, compactions = cuts.length } = replayed;
  const start = say(`First: offload results over ${roundly(offload)} tokens: `);
  if (replayed.peak < PEAK_LOWER * most) return [start, say("peak "), stress(`~${shortly(replayed.peak)}`), say(".")];
  if (compactions >= cuts.length) return [];
  return [
    start,
    stress(compactions === 0 ? "no compaction" : `${compactions}× compacted`),
    say(` instead of ${cuts.length}×.`),
  ];
}
