// Which item owns which of the reported tokens. The growth that the provider reported between two calls is given to what came
// in between, each item as its constants say, moved at most CLIP; what is left is an item of its own, "unattributed", and
// what was there before the file's first words is the hidden prefix. So prefix + visible + unattributed is the reported
// number on every call, exactly. The method: docs/load.md.
import { CONSTANTS, familiesOf, type ConstantsTable } from "./constants.ts";
import { entriesOf, type Entry } from "./entries.ts";
import { clearsAt, cutsAt, goneBy, isUncut, keptAfter, sameSize, type Fall } from "./epochs.ts";
import { BEYOND, OVER, prefixParts, UNDER } from "./hidden-parts.ts";
import { inPrompt, itemOf, plusMinusOf } from "./ledger-items.ts";
import { rewoundTo, type CompactionPosition } from "./residency.ts";
import { measuredPrompt, promptOf } from "./prompt-size.ts";
import { applyEstimates, applyReported, estimateOf, estimateWithin, reconcile, shrink, sumOf } from "./reconcile.ts";
import { sumCalls, type Growth } from "./sum-calls.ts";
import type { BorrowedPart, Ledger, LedgerCallInput, LedgerItem, WeighedEvent } from "./ledger-types.ts";

export type LedgerInput = {
  readonly calls: readonly LedgerCallInput[];
  readonly events: readonly WeighedEvent[];
  readonly compactions: readonly CompactionPosition[];
  readonly format: string;
  readonly constants?: ConstantsTable;
  readonly borrowed?: readonly BorrowedPart[];
};

export function buildLedger(input: LedgerInput): Ledger {
  const { calls, format } = input;
  const constants = input.constants ?? CONSTANTS;
  const families = familiesOf(calls, format);
  const all = entriesOf({ ...input, families, constants });
  const entries = all.filter(({ from, to }) => to > from);
  const unsent = all.filter(({ from, to }) => to <= from);
  applyReported(unsent);
  const walk = new Walk(input, entries, constants);
  for (let k = 0; k < calls.length; k++) walk.step(k);
  walk.close();
  const items = [...walk.hidden, ...entries.map((entry) => itemOf(entry, constants))].toSorted(inPrompt);
  return {
    calls: sumCalls(calls, families, items, walk),
    items,
    unsent: unsent.map((entry) => itemOf(entry, constants)),
  };
}

/** Goes over the calls once, deciding tokens as the provider's numbers come in. */
class Walk {
  readonly hidden: LedgerItem[] = [];
  readonly epochs: number[] = [];
  /** Growth reported and estimated of each call, null where there is none to compare. */
  readonly growth: (Growth | null)[] = [];
  /** Tokens that each call's fall took out, without a word in the log and inside the epoch. */
  readonly cleared: number[] = [];
  /** True of the first call after a rewind. */
  readonly rewound: boolean[] = [];
  readonly #calls: readonly LedgerCallInput[];
  readonly #constants: ConstantsTable;
  readonly #entering: readonly Entry[][];
  readonly #fulls: readonly number[];
  readonly #rewinds: readonly CompactionPosition[];
  #resident: Entry[] = [];
  /** No resident entry leaves before this call. */
  #leaves = Number.POSITIVE_INFINITY;
  #pending: Entry[] = [];
  /** What came back since the last number: it is in the next one, and no growth of anything new. */
  #back: Entry[] = [];
  #open: { -readonly [K in keyof LedgerItem]: LedgerItem[K] }[] = [];
  #last: number | null = null;
  #epoch = 1;
  #prefix: number | null = null;

  constructor(
    { calls, compactions }: Pick<LedgerInput, "calls" | "compactions">,
    entries: readonly Entry[],
    constants: ConstantsTable,
  ) {
    this.#calls = calls;
    this.#constants = constants;
    const entering: Entry[][] = calls.map(() => []);
    for (const entry of entries) entering[entry.from]!.push(entry);
    this.#entering = entering;
    // An undoing puts another prompt in place of the one before, as a compaction does.
    this.#fulls = compactions
      .filter(({ kind }) => kind === "full")
      .flatMap(({ seq, undoneBy }) => (undoneBy === undefined ? [seq] : [seq, undoneBy]));
    this.#rewinds = compactions.filter(({ kind }) => kind === "rewind");
  }

  step(k: number): void {
    const call = this.#calls[k]!;
    const before = this.#calls[k - 1];
    const compactions = this.#fulls.filter((seq) => seq < call.firstSeq && seq > (before?.firstSeq ?? -1)).length;
    if (k > 0 && compactions > 0) this.#cut(k, compactions);
    for (const entry of this.#entering[k]!)
      if (entry.before === undefined) this.#pending.push(entry);
      else this.#comeBack(entry, entry.before);
    const prompt = measuredPrompt(call);
    this.growth.push(null);
    this.cleared.push(0);
    const stays = rewoundTo(this.#rewinds, call, before);
    this.rewound.push(stays !== Infinity);
    if (prompt === null) {
      this.epochs.push(this.#epoch);
      return;
    }
    if (this.#last === null) this.#begin(k, prompt);
    else this.#grow(k, prompt, this.#last, stays);
    this.#back = [];
    this.epochs.push(this.#epoch);
    this.#last = k;
  }

  /** What entered after the last number keeps its estimate. */
  close(): void {
    applyEstimates(this.#pending);
    for (const item of this.#open) item.to = this.#calls.length;
    this.hidden.push(...this.#open);
  }

  #cut(k: number, by = 1): void {
    applyEstimates(this.#pending);
    this.#stay(this.#pending);
    this.#pending = [];
    for (const item of this.#open) item.to = k;
    this.hidden.push(...this.#open.filter(({ from, to }) => to > from));
    this.#open = [];
    this.#last = null;
    this.#epoch += by;
  }

  /** The first number of an epoch: what is not seen of it is the hidden prefix. */
  #begin(k: number, prompt: number): void {
    const pending = this.#pending.filter(({ to }) => to > k);
    applyEstimates(this.#pending);
    this.#stay(this.#pending);
    this.#pending = [];
    this.#leave(k);
    const visible = sumOf(this.#resident);
    if (visible > prompt && sumOf(pending) > 0) shrink(pending, prompt - (visible - sumOf(pending)), prompt);
    // Of an epoch whose system prompt and tools are in the file nothing is hidden.
    if (this.#resident.some(({ isFrame }) => isFrame)) {
      this.#beginKnown(k, prompt, pending);
      return;
    }
    const rest = prompt - sumOf(this.#resident);
    const unsure = this.#unsure(this.#resident);
    for (const part of prefixParts(Math.max(0, rest), this.#prefix, this.#epoch)) this.#hide("prefix", part, k, unsure);
    if (rest < 0) this.#hide("unattributed", { tokens: rest, label: UNDER }, k, unsure);
    this.#prefix = this.#prefix === null ? Math.max(0, rest) : Math.min(this.#prefix, Math.max(0, rest));
  }

  /** The same where the file holds the whole request: what came takes the number, and what the provider charges beside it is left over. */
  #beginKnown(k: number, prompt: number, came: readonly Entry[]): void {
    const stood = sumOf(this.#resident) - sumOf(came);
    const rest = prompt - stood - reconcile(came, prompt - stood, prompt);
    if (rest !== 0)
      this.#hide("unattributed", { tokens: rest, label: rest > 0 ? BEYOND : UNDER }, k, this.#unsure(this.#resident));
  }

  #grow(k: number, prompt: number, last: number, stays: number): void {
    const grown = prompt - promptOf(this.#calls[last]!) + this.#goBack(k, stays) - sumOf(this.#back);
    const left = this.#leave(k);
    const came = this.#pending.filter(({ to }) => to > k);
    const passed = this.#pending.filter(({ to }) => to <= k);
    const named = this.#named(k, came);
    const expected = estimateOf(came) - estimateOf(left);
    const before = this.#calls[last]!;
    const fall: Fall = {
      call: this.#calls[k]!,
      before,
      tokens: estimateOf(came) - grown - sumOf(left) - named,
      came: estimateOf(came),
      isTurn: came.some(({ kind }) => kind === "user"),
    };
    const isCut = cutsAt(fall) && !isUncut(fall);
    const cleared = isCut || clearsAt(fall) ? this.#clear(k, fall, !isCut) : 0;
    if (isCut && cleared === 0) {
      this.#drop(k, fall);
      return;
    }
    this.cleared[k] = cleared;
    if (cleared + named === 0 && stays === Infinity && k === last + 1 && this.#calls[k]!.model === before.model)
      this.growth[k] = { reported: grown, estimated: Math.round(expected), left: Math.round(estimateOf(left)) };
    applyEstimates(passed);
    const target = grown + sumOf(left) + cleared + named;
    // What came in beside a clearing keeps its estimate: how much was cleared is not known to the token.
    let rest = target - (cleared > 0 ? estimateWithin(came, prompt) : reconcile(came, target, prompt));
    if (cleared === 0) rest += this.#thoughtsThatLeft(k, rest, came);
    this.#stay(came);
    this.#pending = [];
    if (rest !== 0) this.#hide("unattributed", { tokens: rest, label: rest > 0 ? OVER : UNDER }, k, this.#unsure(came));
  }

  /** What came unexplained behind the event that a rewind went back to went with it: its tokens. */
  #goBack(k: number, stays: number): number {
    const gone = this.#open.filter(({ kind, from }) => kind === "unattributed" && this.#calls[from]!.firstSeq > stays);
    for (const item of gone) item.to = k;
    this.hidden.push(...gone);
    this.#open = this.#open.filter((item) => !gone.includes(item));
    return gone.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  /** Where system prompt and tools come into the file behind copied records, what was hidden until then is what they are: its tokens. */
  #named(k: number, came: readonly Entry[]): number {
    if (!came.some(({ isFrame }) => isFrame)) return 0;
    const hidden = this.#open.filter(({ kind }) => kind === "prefix");
    for (const item of hidden) item.to = k;
    this.hidden.push(...hidden);
    this.#open = this.#open.filter(({ kind }) => kind !== "prefix");
    return hidden.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  /** Takes out what a fall inside the epoch took: tokens of it, 0 where nothing can be told. */
  #clear(k: number, fall: Fall, ofResults: boolean): number {
    const hidden = sameSize(
      this.#open.filter(({ kind }) => kind === "unattributed"),
      fall,
    );
    if (hidden !== undefined) {
      hidden.to = k;
      this.hidden.push(hidden);
      this.#open = this.#open.filter((item) => item !== hidden);
      return hidden.tokens;
    }
    if (!ofResults) return 0;
    const gone = goneBy(fall, this.#resident, k);
    for (const entry of gone) entry.to = k;
    this.#resident = this.#resident.filter((entry) => !gone.has(entry));
    return sumOf([...gone]);
  }

  /** A fall that nothing in the log explains: a new epoch, with what can still be there. */
  #drop(k: number, fall: Fall): void {
    const came = this.#pending;
    const prompt = promptOf(fall.call);
    const resident = this.#resident.filter(({ to }) => to > k);
    const kept = keptAfter(fall, resident, k, { prompt, prefix: this.#prefix ?? 0 });
    for (const entry of resident) if (!kept.has(entry)) entry.to = k;
    this.#resident = [...kept];
    this.#pending = [];
    this.#cut(k);
    this.#pending = [...came];
    this.#begin(k, prompt);
  }

  /** Some models lose the reasoning of earlier turns when a turn starts: taken out when that explains most of a fall. */
  #thoughtsThatLeft(k: number, rest: number, came: readonly Entry[]): number {
    if (rest > -1000 || !came.some(({ kind }) => kind === "user")) return 0;
    const thoughts = this.#resident.filter(({ kind }) => kind === "reasoning");
    const tokens = sumOf(thoughts);
    if (Math.abs(rest + tokens) > 0.5 * Math.abs(rest)) return 0;
    for (const entry of thoughts) entry.to = k;
    this.#resident = this.#resident.filter(({ kind }) => kind !== "reasoning");
    return tokens;
  }

  #comeBack(entry: Entry, before: Entry): void {
    entry.whole = before.whole;
    entry.grade = before.grade;
    this.#stay([entry]);
    this.#back.push(entry);
  }

  #stay(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#resident.push(entry);
      if (entry.to < this.#leaves) this.#leaves = entry.to;
    }
  }

  /** Lets go of what is not in the prompt of call `k` any more, and says what that was. */
  #leave(k: number): Entry[] {
    if (this.#leaves > k) return [];
    const left = this.#resident.filter(({ to }) => to <= k);
    this.#resident = this.#resident.filter(({ to }) => to > k);
    this.#leaves = this.#resident.reduce((least, { to }) => Math.min(least, to), Number.POSITIVE_INFINITY);
    return left;
  }

  /** What is left over is as unsure as the estimates that it is left over from, taken together. */
  #unsure(entries: readonly Entry[]): number {
    const squares = entries.map((entry) => plusMinusOf(entry, this.#constants) ** 2);
    return Math.ceil(Math.sqrt(squares.reduce((sum, square) => sum + square, 0)));
  }

  #hide(
    kind: "prefix" | "unattributed",
    { tokens, label }: { tokens: number; label: string },
    from: number,
    plusMinus: number,
  ): void {
    if (tokens === 0) return;
    const grade = plusMinus === 0 ? ("exact" as const) : ("estimated" as const);
    const nothing = { seq: null, itemClass: null, toolName: null, basis: "reported" as const, grade };
    this.#open.push({ ...nothing, kind, label, from, to: from, estimated: tokens, tokens, plusMinus, isHidden: true });
  }
}
