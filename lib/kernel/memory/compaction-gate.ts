// Whether the next call is to be compacted first. Provider counts are tied to the epoch of the request that they belong
// to: a count that comes after a compaction, of a request before it, would ask for another one, and again. At most one
// automatic compaction a user turn, for the same reason; what it could not help is said, not tried again.
import type { CompactionPolicy } from "./compaction-policy.ts";
import type { CompactionTrigger } from "./memory-types.ts";

export type PromptUsage = {
  /** Tokens of the prompt, as the provider counted them after the response. */
  readonly promptTokens: number;
  /** Epoch of the context that was sent. */
  readonly epochId: number;
};

export type GateBudget = { readonly inputBudget: number; readonly compactionRatio?: number };

export type GateRun = {
  readonly turnId: string | null;
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  readonly failure: string | null;
};

/** What a gate knows, as plain data: a host whose turns are processes keeps it between them. */
export type GateState = {
  readonly required: CompactionTrigger | null;
  readonly promptTokens: number | null;
  /** The automatic compaction that ran last. */
  readonly last: GateRun | null;
};

export class CompactionGate {
  #required: CompactionTrigger | null = null;
  #tokens: number | null = null;
  #last: GateRun | null = null;

  static restore({ required, promptTokens, last }: GateState): CompactionGate {
    const gate = new CompactionGate();
    gate.#required = required;
    gate.#tokens = promptTokens;
    gate.#last = last;
    return gate;
  }

  get state(): GateState {
    return { required: this.#required, promptTokens: this.#tokens, last: this.#last };
  }

  /** What asked for a compaction before the next call, or null. */
  get required(): CompactionTrigger | null {
    return this.#required;
  }

  /** The last prompt size that was counted for the epoch under way. */
  get promptTokens(): number | null {
    return this.#tokens;
  }

  request(trigger: CompactionTrigger): void {
    this.#required = trigger;
  }

  clear(): void {
    this.#required = null;
  }

  /** Takes a count in; `stale` when it is of an older epoch, and says nothing of this one. */
  observe(
    { promptTokens, epochId }: PromptUsage,
    currentEpoch: number,
    budget: GateBudget | null,
    policy: CompactionPolicy,
  ): CompactionTrigger | "stale" | null {
    if (epochId < currentEpoch) return "stale";
    this.#tokens = promptTokens;
    if (this.#last !== null && this.#last.tokensAfter === null)
      this.#last = { ...this.#last, tokensAfter: promptTokens };
    if (budget === null) return null;
    const trigger = policy.triggerOf(promptTokens, budget.inputBudget, budget.compactionRatio);
    if (trigger !== null) this.#required = trigger;
    return trigger;
  }

  /** Why no automatic compaction may run in this turn, or null when one may. */
  refusal(turnId: string | null): string | null {
    if (this.#last === null || turnId === null || this.#last.turnId !== turnId) return null;
    const { tokensBefore, tokensAfter, failure } = this.#last;
    if (failure !== null) return `The compaction of turn ${turnId} failed: ${failure} No retry in this turn.`;
    const madeNoRoom = tokensBefore !== null && tokensAfter !== null && tokensAfter >= tokensBefore;
    return madeNoRoom
      ? `The compaction of turn ${turnId} made no room: ${tokensBefore} tokens before, ${tokensAfter} after. No retry in this turn. Shorten the prompt, or raise the budget.`
      : `Turn ${turnId} was compacted once already, and its prompt exceeds the budget again. No retry in this turn. Compact by hand, or raise the budget.`;
  }

  /** Counts of the epoch before say nothing any more. */
  beginEpoch(): void {
    this.#required = null;
    this.#tokens = null;
  }

  /** An automatic compaction was made, or failed for a reason. */
  ran(turnId: string | null, tokensBefore: number | null, failure: string | null): void {
    this.#last = { turnId, tokensBefore, tokensAfter: null, failure };
  }
}
