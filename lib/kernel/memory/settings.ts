// What the environment may say about compaction. A value that is not understood counts as not said: an agent is not
// stopped by a typing error in a variable.

export type CompactionSettings = {
  readonly triggerRatioOverride: number | null;
  readonly activeContextTokensOverride: number | null;
  readonly debugLogs: boolean;
};

export const COMPACTION_VARIABLES = {
  triggerRatio: "AUTOBYTEUS_COMPACTION_TRIGGER_RATIO",
  activeContextTokens: "AUTOBYTEUS_ACTIVE_CONTEXT_TOKENS_OVERRIDE",
  debugLogs: "AUTOBYTEUS_COMPACTION_DEBUG_LOGS",
} as const;

export function compactionSettings(env: Readonly<Record<string, string | undefined>>): CompactionSettings {
  const ratio = positive(env[COMPACTION_VARIABLES.triggerRatio]);
  const tokens = positive(env[COMPACTION_VARIABLES.activeContextTokens]);
  return {
    triggerRatioOverride: ratio === null ? null : Math.min(1, ratio),
    activeContextTokensOverride: tokens === null || Math.floor(tokens) < 1 ? null : Math.floor(tokens),
    debugLogs: /^(true|yes|1)$/i.test((env[COMPACTION_VARIABLES.debugLogs] ?? "").trim()),
  };
}

function positive(text: string | undefined): number | null {
  const value = text === undefined || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) && value > 0 ? value : null;
}
