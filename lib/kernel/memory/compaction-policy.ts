// When a context is compacted, and how much of it stays. The trigger is the prompt size that the provider reported
// after a response; nothing is estimated in the path of a request.
import type { CompactionTrigger } from "./memory-types.ts";

export type RecentTurnsStyle = "turns" | "trace_lines";

export type CompactionPolicyOptions = {
  /** Share of the input budget above which the next call is compacted early. */
  readonly triggerRatio?: number;
  /** Turns that stay as they are. */
  readonly rawTailTurns?: number;
  readonly maxEpisodicItems?: number;
  readonly maxSemanticItems?: number;
  /** Characters of one line of the snapshot. */
  readonly maxItemChars?: number;
  readonly safetyMarginTokens?: number;
  /** A prompt that is exactly at a gate, rounded down, passes it: as the original code has it, not its design. */
  readonly inclusive?: boolean;
  readonly recentTurnsStyle?: RecentTurnsStyle;
};

export class CompactionPolicy {
  readonly triggerRatio: number;
  readonly rawTailTurns: number;
  readonly maxEpisodicItems: number;
  readonly maxSemanticItems: number;
  readonly maxItemChars: number;
  readonly safetyMarginTokens: number;
  readonly inclusive: boolean;
  readonly recentTurnsStyle: RecentTurnsStyle;

  constructor(options: CompactionPolicyOptions = {}) {
    this.triggerRatio = options.triggerRatio ?? 0.8;
    this.rawTailTurns = options.rawTailTurns ?? 4;
    this.maxEpisodicItems = options.maxEpisodicItems ?? 3;
    this.maxSemanticItems = options.maxSemanticItems ?? 20;
    this.maxItemChars = options.maxItemChars ?? 2000;
    this.safetyMarginTokens = options.safetyMarginTokens ?? 256;
    this.inclusive = options.inclusive ?? false;
    this.recentTurnsStyle = options.recentTurnsStyle ?? "turns";
  }

  shouldCompact(promptTokens: number, inputBudget: number): boolean {
    return this.triggerOf(promptTokens, inputBudget) !== null;
  }

  /** `budget` beyond the whole budget, `early` beyond its share, null below. No room at all is always beyond. */
  triggerOf(promptTokens: number, inputBudget: number, ratio = this.triggerRatio): CompactionTrigger | null {
    if (inputBudget <= 0) return "budget";
    const passes = (gate: number): boolean => (this.inclusive ? promptTokens >= Math.floor(gate) : promptTokens > gate);
    return passes(inputBudget) ? "budget" : passes(ratio * inputBudget) ? "early" : null;
  }
}
