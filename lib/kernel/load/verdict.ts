// The sentence that says why a context blew up: what happened and where, what filled it, what would have helped. Made as
// clauses, so that the page, the command line and Markdown say the same and each name leads to its event.
import { isVisible, NEAR, worstOf, type BlowUp } from "./blow-ups.ts";
import type { Culprit, SessionLoadFacts } from "./culprits/types.ts";
import { epochsOf, frameOf, type Frame } from "./frame.ts";
import type { LedgerCall, LedgerItem } from "./types.ts";
import { dollars, exactly, inWords, percent, roundly, shortly, times } from "./words.ts";

export type VerdictClause = {
  readonly text: string;
  /** A figure or a name that the eye should find. */
  readonly strong: boolean;
  readonly seq: number | null;
  readonly call: number | null;
};

/** A replay that offloads results over so many tokens: its peak, and the compactions it would have needed. */
export type WhatIfPeak = { readonly offload: number; readonly peak: number; readonly compactions?: number };

export type Verdict = {
  readonly clauses: readonly VerdictClause[];
  readonly text: string;
  /** The blow-up that it is about; null when there was none. */
  readonly worst: BlowUp | null;
};

export function verdictOf(
  session: SessionLoadFacts,
  blowUps: readonly BlowUp[],
  culprits: readonly Culprit[],
  whatIfPeak: WhatIfPeak | null,
): Verdict {
  const worst = worstOf(blowUps);
  const clauses = clausesOf(session, worst, blowUps, culprits, whatIfPeak);
  return { clauses, text: clauses.map(({ text }) => text).join(""), worst };
}

const say = (text: string): VerdictClause => ({ text, strong: false, seq: null, call: null });
const stress = (text: string, place: { seq?: number | null; call?: number | null } = {}): VerdictClause => ({
  text,
  strong: true,
  seq: place.seq ?? null,
  call: place.call ?? null,
});

function clausesOf(
  session: SessionLoadFacts,
  worst: BlowUp | null,
  blowUps: readonly BlowUp[],
  culprits: readonly Culprit[],
  whatIfPeak: WhatIfPeak | null,
): VerdictClause[] {
  const frame = frameOf(session);
  if (frame.calls.length === 0) return [say("No model was called: nothing was loaded.")];
  const clauses = worst === null ? calm(session, frame, culprits) : blown(session, frame, worst, blowUps);
  const isFilled = worst !== null && worst.kind !== "jump";
  const named = isFilled ? clauses.find(({ seq }) => seq !== null && seq !== worst.seq)?.seq : worst?.seq;
  // What fills a context comes before what only costs: a lost cache takes nothing off the peak.
  const first = (isFilled ? culprits.find(({ offPeak }) => offPeak > 0) : undefined) ?? culprits[0];
  if (first !== undefined) clauses.push(...adviceOf(first, named ?? null));
  if (isFilled && whatIfPeak !== null) clauses.push(...replayed(frame, whatIfPeak));
  if (culprits[0] !== undefined && culprits[0] !== first)
    clauses.push(
      say(" Dearest: "),
      stress(nameOf(culprits[0].label), { seq: culprits[0].seq }),
      say(", "),
      stress(savedBy(culprits[0])),
      say("."),
    );
  if (!frame.calls.some(({ reported }) => reported !== null))
    clauses.push(say(" All of this is estimated: the session's file reports no tokens."));
  return clauses;
}

/** What offloading would have done: a lower peak, or, where room was filled again, fewer compactions. */
function replayed({ peak, cuts }: Frame, { offload, ...after }: WhatIfPeak): VerdictClause[] {
  const start = say(` Offloading results over ${roundly(offload)} would have `);
  if (after.peak < PEAK_LOWER * peak) return [start, say("peaked at "), stress(`~${shortly(after.peak)}`), say(".")];
  const { compactions = cuts.length } = after;
  if (compactions >= cuts.length) return [];
  const needed =
    compactions === 0 ? "no compaction" : compactions === 1 ? "1 compaction" : `${compactions} compactions`;
  return [start, say("needed "), stress(needed), say(` instead of ${cuts.length}.`)];
}

/** A replay is a few percent sure at best: less is not said. */
const PEAK_LOWER = 0.98;

/** Nothing went wrong: how near the line it came, and what is worth saving all the same. */
function calm({ loadLine }: SessionLoadFacts, frame: Frame, culprits: readonly Culprit[]): VerdictClause[] {
  const top = frame.calls.find(({ sum }) => sum === frame.peak)!;
  const mark = tildeOf(top);
  const level =
    loadLine === null
      ? [say("Never above "), stress(`${mark}${exactly(frame.peak)} tokens`, { call: top.call })]
      : [
          say("Never above "),
          stress(`${mark}${percent(frame.peak / loadLine)}`, { call: top.call }),
          say(" of the line"),
        ];
  return [...level, say(culprits.length === 0 ? "; nothing stands out." : ".")];
}

const tildeOf = ({ reported }: LedgerCall): string => (reported === null ? "~" : "");

function blown(session: SessionLoadFacts, frame: Frame, worst: BlowUp, blowUps: readonly BlowUp[]): VerdictClause[] {
  const call = frame.calls[worst.index]!;
  return [...headline(session, frame, call, worst, blowUps), ...fillOf(frame, worst)];
}

function headline(
  { loadLine }: SessionLoadFacts,
  frame: Frame,
  call: LedgerCall,
  worst: BlowUp,
  blowUps: readonly BlowUp[],
): VerdictClause[] {
  const mark = tildeOf(call);
  const level = `${mark}${exactly(call.sum)}${loadLine === null ? " tokens" : ` of ${exactly(loadLine)}`}`;
  const here = { seq: worst.seq, call: worst.call };
  if (worst.kind === "overflow") {
    const count = blowUps.filter(({ kind }) => kind === "overflow").length;
    const often = count === 1 ? "" : ` ${times(count)}, first`;
    return [stress(`Refused as too long${often} after call ${worst.call}`, here), stress(`: ${level}.`)];
  }
  if (worst.kind === "jump") {
    const share = loadLine === null ? "" : `, to ${percent(call.sum / loadLine)} of the line`;
    return [stress(`Grew by ${mark}${shortly(worst.tokens)} at call ${worst.call}`, here), say(`${share}.`)];
  }
  const cuts = frame.cuts.length;
  if (cuts === 0) {
    const top = frame.calls.find(({ sum }) => sum === frame.peak)!;
    const peak = `${tildeOf(top)}${exactly(top.sum)}${loadLine === null ? " tokens" : ` of ${exactly(loadLine)}`}`;
    const share = loadLine === null ? "" : ` ${percent(top.sum / loadLine)} of the line`;
    return [stress(`Reached${share} at call ${top.call}`, { seq: top.firstSeq, call: top.call }), stress(`: ${peak}.`)];
  }
  const isFull = loadLine === null || call.sum >= NEAR * loadLine;
  const word = frame.cuts.every(({ isAutomatic }) => !isAutomatic)
    ? "Compacted by hand"
    : isFull
      ? "Full"
      : "Compacted";
  const where = cuts === 1 ? ` at call ${worst.call}` : ` ${times(cuts)}, here at call ${worst.call}`;
  return [stress(`${word}${where}`, here), stress(`: ${level}.`)];
}

/** Ten items and the largest of them, by what they sent again in their epoch. */
function fillOf(frame: Frame, { index, kind, tokens: grown }: BlowUp): VerdictClause[] {
  if (kind === "jump") return came(frame, index, grown);
  const { start, end } = epochsOf(frame).find((one) => one.start <= index && one.end > index)!;
  const sentBy = ({ from, to, tokens }: LedgerItem): number =>
    Math.max(0, tokens) * Math.max(0, Math.min(to, end) - Math.max(from, start));
  const items = frame.items.filter((item) => isVisible(item) && sentBy(item) > 0);
  const ranked = items.toSorted((a, b) => sentBy(b) - sentBy(a));
  const all = items.reduce((sum, item) => sum + sentBy(item), 0);
  const largest = ranked[0];
  if (largest === undefined || all === 0) return [];
  const top = ranked.slice(0, 10);
  const share = top.reduce((sum, item) => sum + sentBy(item), 0) / all;
  const make = top.length === 1 ? "One item makes" : `${inWords(top.length)} items make`;
  const calls = largest.to - largest.from;
  const usd = frame.costs[frame.items.indexOf(largest)]!.lifetimeUsd;
  return [
    say(` ${make} `),
    stress(percent(share)),
    say(" of what this epoch sent again; the largest, "),
    stress(nameOf(largest.label), { seq: largest.seq, call: frame.calls[largest.from]!.call }),
    say(`, came in at call ${frame.calls[Math.max(largest.from, start)]!.call} with `),
    stress(tokensOf(largest)),
    say(` and went out ${times(calls)}${usd === null ? "." : " for "}`),
    ...(usd === null ? [] : [stress(dollars(usd)), say(".")]),
  ];
}

/** What a jump was made of: the largest that came in, and what is not in the file where that is more. */
function came(frame: Frame, index: number, grown: number): VerdictClause[] {
  const entered = frame.items.filter(({ from, to, tokens }) => from === index && to > index && tokens > 0);
  const unseen = entered.filter((item) => !isVisible(item)).reduce((sum, { tokens }) => sum + tokens, 0);
  const item = entered
    .filter(isVisible)
    .reduce<LedgerItem | null>((most, one) => (one.tokens > (most?.tokens ?? 0) ? one : most), null);
  if (item === null) return [say(" What came in is not in the file.")];
  const part = item.tokens >= grown / 2 ? " Most of it is " : " The largest that came in is ";
  return [
    say(part),
    stress(nameOf(item.label), { seq: item.seq, call: frame.calls[index]!.call }),
    say(", "),
    stress(tokensOf(item)),
    say(unseen > item.tokens ? `; ${shortly(unseen)} are not in the file.` : "."),
  ];
}

/** A command of many lines is told by its beginning. */
const nameOf = (label: string): string => (label.length <= 60 ? label : `${label.slice(0, 59)}…`);

const tokensOf = ({ tokens, grade }: LedgerItem): string => `${grade === "estimated" ? "~" : ""}${shortly(tokens)}`;

/** What would save most, unless the sentence has named it already. */
function adviceOf(culprit: Culprit, named: number | null): VerdictClause[] {
  const fix = `${culprit.fix}.`;
  if (culprit.seq !== null && culprit.seq === named) return [say(` ${fix}`)];
  return [
    say(" Most to save: "),
    stress(nameOf(culprit.label), { seq: culprit.seq }),
    say(", "),
    stress(savedBy(culprit)),
    say(`. ${fix}`),
  ];
}

const savedBy = ({ avoidableUsd, avoidableTokens }: Culprit): string =>
  avoidableUsd === null ? `~${shortly(avoidableTokens)} tokens` : `~${dollars(avoidableUsd)}`;

/** The verdict with links into the session's page, for pasting into an issue or a chat. */
export function verdictMarkdown(
  session: SessionLoadFacts,
  clauses: readonly VerdictClause[],
  sessionId: string,
): string {
  const seqOf = new Map(session.ledger.calls.map(({ call, firstSeq }) => [call, firstSeq]));
  return clauses
    .map(({ text, strong, seq, call }) => {
      const at = seq ?? (call === null ? null : (seqOf.get(call) ?? null));
      const shown = strong ? emphasised(text) : escaped(text);
      return at === null ? shown : `[${shown}](/sessions/${encodeURIComponent(sessionId)}?tab=load&event=${at})`;
    })
    .join("");
}

/** Labels are words of the session: nothing in them may become Markdown or HTML. */
const escaped = (text: string): string => text.replace(/[\\`*_{}[\]<>#|~!&]/g, "\\$&");

/** Punctuation at its edge stays outside: `**a**`, not `** a: **`. */
function emphasised(text: string): string {
  const [, before = "", inner = "", after = ""] = /^(\s*[:,]?\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return inner === "" ? escaped(text) : `${escaped(before)}**${escaped(inner)}**${escaped(after)}`;
}
