// Goes over a session's calls once, holding two prompts side by side: the recorded one and the one that a plan would have
// sent. The agent does what it did; only what its context carried is changed.
import type { LedgerItem } from "../ledger-types.ts";
import { Bill } from "./what-if-cost.ts";
import { compactionsIn, cutsOf, type Cut } from "./cuts.ts";
import { MASKED_TOKENS, Masking } from "./masking.ts";
import { canOffload, READ_BACK_TOKENS, type Plan, type WhatIfInput } from "./what-if-plan.ts";
import { isHiddenPrefix, PromptPositions } from "./prompt-positions.ts";
import type { Outcome } from "./what-if-types.ts";

export type Replayed = {
  readonly outcome: Outcome;
  /** Predicted tokens of each call. */
  readonly prompts: Float64Array;
  readonly offloaded: number;
  /** Calls whose cached prefix was edited, and what that cost. */
  readonly edits: number;
  readonly penaltyUsd: number | null;
};

export function replay(input: WhatIfInput, plan: Plan): Replayed {
  const walk = new Replay(input, plan);
  for (let k = 0; k < input.ledger.calls.length; k++) walk.step(k);
  return walk.result();
}

/** What of a prompt is sent again after a compaction: it stands before the conversation. */
const isFloor = (item: LedgerItem): boolean =>
  item.kind === "prefix" || (item.kind === "memory" && item.itemClass !== "summary");

class Replay {
  readonly #input: WhatIfInput;
  readonly #plan: Plan;
  readonly #items: readonly LedgerItem[];
  readonly #cuts: ReadonlyMap<number, Cut>;
  readonly #leaving: readonly (readonly number[])[];
  readonly #prompt: PromptPositions;
  readonly #masking: Masking | null;
  readonly #hasCache: boolean;
  readonly #bill: Bill;
  readonly #prompts: Float64Array;
  /** Items that the agent cut away, and that stand here still because its compaction was spared. */
  #carried: number[] = [];
  /** What the agent sent anew after a compaction that was spared: comes when the compaction does. */
  #withheld: number[] = [];
  /** A spared compaction comes at this load. */
  #pending: number | null = null;
  /** The epoch goes on over a cut that was spared: what it sent anew is not here. */
  #isMerged = false;
  /** The first item that may still be in the predicted prompt, and the first that has not come. */
  #start = 0;
  #next = 0;
  /** Predicted prompt of the last call whose tokens were reported. */
  #used: number | null = null;
  #compactions: number;
  #tokens = 0;
  #peak = 0;
  #offloaded = 0;
  #again = 0;
  #edits = 0;

  constructor(input: WhatIfInput, plan: Plan) {
    const { calls, items } = input.ledger;
    this.#input = input;
    this.#plan = plan;
    this.#items = items;
    this.#cuts = cutsOf(calls, input.compactions);
    const leaving: number[][] = Array.from({ length: calls.length + 1 }, () => []);
    for (const [position, item] of items.entries()) leaving[item.to]?.push(position);
    this.#leaving = leaving;
    this.#prompt = new PromptPositions(items);
    this.#masking = plan.clearing === null ? null : new Masking(plan.clearing);
    this.#hasCache = calls.some(({ cacheRead }) => cacheRead > 0);
    this.#bill = new Bill(input.ratesOf, this.#hasCache);
    this.#prompts = new Float64Array(calls.length);
    this.#compactions = compactionsIn(input.compactions);
  }

  step(k: number): void {
    const cut = this.#cuts.get(k);
    const isSpared = cut !== undefined && this.#spares(cut);
    this.#again = 0;
    this.#leave(k, isSpared);
    if (isSpared) this.#spare(cut);
    else if (cut !== undefined) this.#cutAway();
    const first = this.#next;
    this.#enter(k, isSpared);
    const edit = this.#mask(k);
    const { compactAt } = this.#plan;
    if (this.#pending !== null && this.#size(k) >= this.#pending) {
      this.#compactAsAgent(first, isSpared ? cut.compactions : 1);
      // Where it comes at the very call, the cache held what it held; later the prefix alone.
      this.#send(k, isSpared ? this.#held(k) : Math.min(this.#held(k), this.#prompt.prefix), edit);
    } else if (compactAt !== null && this.#size(k) >= compactAt && this.#compact(first)) {
      this.#send(k, this.#kept(k, isSpared), Math.min(edit, this.#prompt.prefix));
    } else this.#send(k, this.#kept(k, isSpared), edit);
  }

  result(): Replayed {
    const { usd } = this.#bill;
    return {
      outcome: {
        promptTokens: Math.round(this.#tokens),
        peak: Math.round(this.#peak),
        usd,
        compactions: this.#compactions,
      },
      prompts: this.#prompts,
      offloaded: this.#offloaded,
      edits: this.#edits,
      penaltyUsd: usd === null ? null : this.#bill.penalty,
    };
  }

  /** Whether the agent would not have compacted here: our own does, or the prompt was smaller than the one that made it. */
  #spares({ load }: Cut): boolean {
    if (load === null) return false;
    // Half a token: a share of readings leaves fractions.
    const isSmaller = this.#used !== null && this.#used < load - 0.5;
    if (this.#plan.compactAt !== null) return true;
    if (isSmaller) this.#pending = load;
    return isSmaller;
  }

  #leave(k: number, isSpared: boolean): void {
    for (const position of this.#leaving[k]!) {
      const stays = isSpared ? this.#prompt.predicted[position]! : 0;
      this.#prompt.set(position, 0, stays);
      if (stays !== 0) this.#carried.push(position);
      else this.#masking?.leave(position);
    }
  }

  #spare({ compactions }: Cut): void {
    this.#compactions -= compactions;
    this.#isMerged = true;
  }

  /** A cut that happens as it did: nothing that was carried over an earlier one is left. */
  #cutAway(): void {
    for (const position of this.#carried) this.#take(position);
    this.#restore();
    this.#settle();
    this.#prompt.summary = 0;
  }

  /** What the agent sent anew stands in the prompt, where it is still recorded there. */
  #restore(): void {
    for (const position of this.#withheld) {
      if (this.#prompt.recorded[position] === 0) continue;
      this.#prompt.predict(position, this.#plan.lighter.get(position) ?? this.#items[position]!.tokens);
      this.#start = Math.min(this.#start, position);
    }
  }

  #take(position: number): void {
    this.#prompt.predict(position, 0);
    this.#masking?.leave(position);
  }

  #enter(k: number, isSpared: boolean): void {
    for (; this.#next < this.#items.length && this.#items[this.#next]!.from <= k; this.#next += 1) {
      const position = this.#next;
      const item = this.#items[position]!;
      if (item.from < k || item.to <= k) continue;
      const isAgain = isSpared && (isFloor(item) || item.itemClass === "summary");
      // The prefix of an epoch is known with its first number, which may come a call later.
      if (isAgain || (this.#isMerged && isHiddenPrefix(item))) {
        this.#prompt.set(position, item.tokens, 0);
        this.#withheld.push(position);
      } else this.#prompt.set(position, item.tokens, this.#weigh(position, item));
    }
  }

  #weigh(position: number, item: LedgerItem): number {
    const { lighter, offloads, envelope, reread } = this.#plan;
    const own = lighter.get(position) ?? item.tokens;
    const isStored =
      offloads !== null && own === item.tokens && canOffload(item, envelope) && offloads(item, this.#used);
    const tokens = isStored ? envelope : own;
    if (item.kind === "result") this.#masking?.enter(position, tokens, item.toolName);
    if (!isStored) return tokens;
    this.#offloaded += 1;
    this.#again += reread;
    return tokens + reread * Math.min(item.tokens, READ_BACK_TOKENS);
  }

  /** Masks what is due; where in the prompt that began. */
  #mask(k: number): number {
    if (this.#masking === null) return Infinity;
    const due = this.#masking.due(this.#input.ledger.calls[k]!.call, this.#size(k));
    if (due.length === 0) return Infinity;
    const offset = this.#prompt.offsetOf(due[0]!);
    for (const position of due)
      this.#prompt.predict(position, Math.min(MASKED_TOKENS, this.#prompt.predicted[position]!));
    return offset;
  }

  /** The compaction that was spared comes now: what came before this call goes, what the agent sent anew comes. */
  #compactAsAgent(first: number, compactions: number): void {
    const { recorded } = this.#prompt;
    this.#drop(first, (position) => isFloor(this.#items[position]!) && recorded[position] !== 0);
    this.#restore();
    this.#settle();
    this.#compactions += compactions;
  }

  #settle(): void {
    this.#carried = [];
    this.#withheld = [];
    this.#pending = null;
    this.#isMerged = false;
  }

  /** A compaction of our own. False when it would free nothing. */
  #compact(first: number): boolean {
    const { summary, compactAt } = this.#plan;
    const end = this.#tailFrom(first, compactAt! / 2);
    let frees = this.#prompt.summary - summary;
    for (let position = this.#start; position < end; position++)
      if (!isFloor(this.#items[position]!)) frees += this.#prompt.predicted[position]!;
    if (frees <= 0) return false;
    this.#drop(end, (position) => isFloor(this.#items[position]!));
    // The floor stays for good: the next one need not look at it again.
    this.#start = end;
    this.#prompt.summary = summary;
    this.#compactions += 1;
    return true;
  }

  /** The first item of the tail: whole turns, but not more than `room`: an agent may work for hundreds of calls in one turn. */
  #tailFrom(first: number, room: number): number {
    let turns = 0;
    for (let position = first; position < this.#next; position++) if (this.#startsTurn(position)) turns += 1;
    let tokens = 0;
    for (let position = first - 1; position >= this.#start; position--) {
      if (turns >= this.#plan.tail) return position + 1;
      tokens += isFloor(this.#items[position]!) ? 0 : this.#prompt.predicted[position]!;
      if (tokens > room) return position + 1;
      if (this.#startsTurn(position)) turns += 1;
    }
    return this.#start;
  }

  #startsTurn(position: number): boolean {
    const { seq } = this.#items[position]!;
    return seq !== null && this.#plan.turnStarts.has(seq);
  }

  /** Takes out what stands before a position, but what is kept. */
  #drop(end: number, isKept: (position: number) => boolean): void {
    let start = end;
    for (let position = this.#start; position < end; position++) {
      if (this.#prompt.predicted[position] === 0) continue;
      if (isKept(position)) start = Math.min(start, position);
      else this.#take(position);
    }
    this.#start = start;
  }

  /** Predicted tokens of a call. Negative items may take out more than is left: the prefix always stands. */
  #size(k: number): number {
    const { reported, sum } = this.#input.ledger.calls[k]!;
    if (reported === 0) return 0;
    const { change, summary, prefix } = this.#prompt;
    const size = sum + change + summary;
    return size === sum ? sum : Math.max(size, Math.min(prefix, sum));
  }

  /** What the cache held of this prompt, as the recorded call read it. */
  #held(k: number): number {
    return this.#prompt.cachedPart(this.#input.ledger.calls[k]!.cacheRead, this.#plan.offTools);
  }

  /** At a cut that was spared the recorded call read little; without the cut it would have read the prompt before. */
  #kept(k: number, isSpared: boolean): number {
    return isSpared && this.#used !== null && this.#hasCache ? this.#used : this.#held(k);
  }

  #send(k: number, read: number, edit: number): void {
    const call = this.#input.ledger.calls[k]!;
    const prompt = this.#size(k);
    const held = Math.max(0, Math.min(read, prompt));
    const cached = Math.max(0, Math.min(held, edit));
    if (this.#input.inherited?.has(k) !== true) {
      if (cached < held) this.#edits += 1;
      this.#bill.add({ call, prompt, cached }, this.#again, held - cached);
      this.#tokens += prompt * (1 + this.#again);
      this.#peak = Math.max(this.#peak, prompt);
    }
    this.#prompts[k] = prompt;
    if (call.reported !== null && call.reported > 0) this.#used = prompt;
  }
}
