// When a context is compacted, and how much of it stays. The trigger is the prompt size that the provider reported
// after a response; nothing is estimated in the path of a request.
import type { CompactionTrigger } from "./memory-types.ts";

/** What of a cut's tool events its summary is made of: nothing, the results, or calls and results. */
export const TOOL_EVENT_POLICIES = ["exclude", "include_outputs", "include_all"] as const;
export type ToolEventPolicy = (typeof TOOL_EVENT_POLICIES)[number];

/** Whether a summary is made of events of this type. */
export const isSummarized = (type: string, policy: ToolEventPolicy = "include_all"): boolean =>
  type === "tool_call" ? policy === "include_all" : type !== "tool_result" || policy !== "exclude";

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
  /** `include_all` when absent. */
  readonly toolEvents?: ToolEventPolicy;
  /** What a model is asked to mind when it summarizes. */
  readonly instructions?: string;
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
  readonly toolEvents: ToolEventPolicy;
  readonly instructions: string | undefined;

  constructor(options: CompactionPolicyOptions = {}) {
    this.triggerRatio = options.triggerRatio ?? 0.8;
    this.rawTailTurns = options.rawTailTurns ?? 4;
    this.maxEpisodicItems = options.maxEpisodicItems ?? 3;
    this.maxSemanticItems = options.maxSemanticItems ?? 20;
    this.maxItemChars = options.maxItemChars ?? 2000;
    this.safetyMarginTokens = options.safetyMarginTokens ?? 256;
    this.inclusive = options.inclusive ?? false;
    this.recentTurnsStyle = options.recentTurnsStyle ?? "turns";
    this.toolEvents = options.toolEvents ?? "include_all";
    this.instructions = options.instructions;
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
