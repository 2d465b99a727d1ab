// How many tokens a prompt may have, from whichever of the model's limits are known.
import type { CompactionPolicy } from "./compaction-policy.ts";
import type { CompactionSettings } from "./settings.ts";

/** Where a product must have a number and no model says one. */
export const DEFAULT_CONTEXT_TOKENS = 200_000;

type Maybe = number | null | undefined;

export type BudgetModel = {
  readonly maxContextTokens?: Maybe;
  /** What of the window is in use, where a host loads a model with less than it could have. */
  readonly activeContextTokens?: Maybe;
  readonly maxInputTokens?: Maybe;
  readonly maxOutputTokens?: Maybe;
  readonly defaultCompactionRatio?: Maybe;
  readonly defaultSafetyMarginTokens?: Maybe;
};

export type BudgetConfig = {
  readonly maxTokens?: Maybe;
  readonly compactionRatio?: Maybe;
  readonly safetyMarginTokens?: Maybe;
};

export type TokenBudget = {
  readonly maxContextTokens: number;
  readonly maxOutputTokens: number;
  readonly safetyMarginTokens: number;
  readonly compactionRatio: number;
  /** Tokens that a prompt may have; may be 0 or less, and then nothing fits. */
  readonly inputBudget: number;
};

const marginOf = (model: BudgetModel, config: BudgetConfig, policy: CompactionPolicy): number =>
  config.safetyMarginTokens ?? model.defaultSafetyMarginTokens ?? policy.safetyMarginTokens;

export type RequestCapacity = TokenBudget & {
  readonly effectiveContextCapacity: number | null;
  readonly contextDerivedInputCapTokens: number | null;
  readonly providerInputCapTokens: number | null;
  readonly effectiveInputCapacity: number;
  readonly reservedOutputTokens: number;
  readonly triggerThresholdTokens: number;
  readonly overrideActive: boolean;
};

/**
 * The smaller of what the window leaves beside the output and of what the provider
 * takes as input. Output is subtracted once, and not at all where only the input is limited.
 */
export function resolveRequestCapacity(
  model: BudgetModel,
  config: BudgetConfig,
  policy: CompactionPolicy,
  settings: Pick<CompactionSettings, "triggerRatioOverride" | "activeContextTokensOverride"> | null = null,
): RequestCapacity | null {
  const override = settings?.activeContextTokensOverride ?? null;
  const capacity = override ?? model.activeContextTokens ?? model.maxContextTokens ?? null;
  const reserved = smallest(config.maxTokens, model.maxOutputTokens) ?? 0;
  const contextCap = capacity === null ? null : capacity - reserved;
  const inputCapacity = smallest(contextCap, model.maxInputTokens);
  if (inputCapacity === null) return null;
  const safetyMarginTokens = marginOf(model, config, policy);
  const inputBudget = inputCapacity - safetyMarginTokens;
  const compactionRatio =
    config.compactionRatio ?? settings?.triggerRatioOverride ?? model.defaultCompactionRatio ?? policy.triggerRatio;
  return {
    maxContextTokens: capacity ?? inputCapacity,
    maxOutputTokens: reserved,
    effectiveContextCapacity: capacity,
    contextDerivedInputCapTokens: contextCap,
    providerInputCapTokens: model.maxInputTokens ?? null,
    effectiveInputCapacity: inputCapacity,
    reservedOutputTokens: reserved,
    safetyMarginTokens,
    inputBudget,
    compactionRatio,
    triggerThresholdTokens: Math.floor(compactionRatio * inputBudget),
    overrideActive: override !== null,
  };
}

function smallest(...limits: readonly Maybe[]): number | null {
  const known = limits.filter((limit) => limit != null);
  return known.length === 0 ? null : Math.min(...known);
}
