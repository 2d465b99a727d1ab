// Whether the next call is to be compacted first. Provider counts are tied to the epoch of the request that they belong
// to: a count that comes after a compaction, of a request before it, would ask for another one, and again. At most one
// automatic compaction a user turn, for the same reason; what it could not help is said, not tried again.
import type { CompactionPolicy } from "./policy.ts";
import type { CompactionTrigger } from "./types.ts";

export type PromptUsage = {
  /** Tokens of the prompt, as the provider counted them after the response. */
  readonly promptTokens: number;
  /** Epoch of the context that was sent. */
  readonly epochId: number;
};

export type GateBudget = { readonly inputBudget: number; readonly compactionRatio?: number };

type Ran = { readonly turnId: string | null; readonly tokensBefore: number | null; readonly failure: string | null };

export class CompactionGate {
  #required: CompactionTrigger | null = null;
  #tokens: number | null = null;
  #last: Ran | null = null;
  #tokensAfter: number | null = null;

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
    if (this.#last !== null && this.#tokensAfter === null) this.#tokensAfter = promptTokens;
    if (budget === null) return null;
    const trigger = policy.triggerOf(promptTokens, budget.inputBudget, budget.compactionRatio);
    if (trigger !== null) this.#required = trigger;
    return trigger;
  }

  /** Why no automatic compaction may run in this turn, or null when one may. */
  refusal(turnId: string | null): string | null {
    if (this.#last === null || turnId === null || this.#last.turnId !== turnId) return null;
    const { tokensBefore, failure } = this.#last;
    if (failure !== null)
      return `The compaction of turn ${turnId} failed: ${failure} It is not tried again in this turn.`;
    const madeNoRoom = tokensBefore !== null && this.#tokensAfter !== null && this.#tokensAfter >= tokensBefore;
    return madeNoRoom
      ? `The compaction of turn ${turnId} made no room: ${tokensBefore} tokens before, ${this.#tokensAfter} after. It is not tried again in this turn; shorten what is sent, or raise the budget.`
      : `Turn ${turnId} was compacted once already, and its prompt is over the budget again. It is not tried again in this turn; compact by hand, or raise the budget.`;
  }

  /** Counts of the epoch before say nothing any more. */
  beginEpoch(): void {
    this.#required = null;
    this.#tokens = null;
  }

  /** An automatic compaction was made, or failed for a reason. */
  ran(turnId: string | null, tokensBefore: number | null, failure: string | null): void {
    this.#last = { turnId, tokensBefore, failure };
    this.#tokensAfter = null;
  }
}
