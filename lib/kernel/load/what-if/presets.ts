// What each preset of the offload policy would have made of a session: the policy's own decision, output by output, inside
// the replay.
import { ENVELOPE_TOKENS } from "../../artifacts/envelope.ts";
import { isEnabled, thresholdOf } from "../../artifacts/offload.ts";
import { PRESETS, PRESET_NAMES, type OffloadPolicy, type PresetName } from "../../artifacts/offload-presets.ts";
import { ARTIFACT_TOOLS, READ_TOOLS } from "../../artifacts/tool-names.ts";
import { planOfNothing, type Plan, type WhatIfInput } from "./what-if-plan.ts";
import { replay, type Replayed } from "./replay.ts";
import type { Outcome } from "./what-if-types.ts";

export type PresetReplay = {
  readonly preset: PresetName;
  readonly offloaded: number;
  /** Nothing is read back. */
  readonly none: Outcome;
  /** Half of what was stored is. */
  readonly half: Outcome;
  /** The context never came to its load line. */
  readonly staysUnder: boolean;
};

export type PresetReplays = {
  readonly actual: Outcome;
  /** Of its own prompt tokens: those that no provider reported. */
  readonly unreported: number;
  /** The context came to its load line, or the agent compacted it by itself. */
  readonly wasFull: boolean;
  readonly presets: readonly PresetReplay[];
};

/** `sizes`: bytes of the session's outputs by seq, as the model saw them. */
export function replayPresets(
  input: WhatIfInput,
  sizes: ReadonlyMap<number, number>,
  windowTokens: number | null,
): PresetReplays {
  const nothing = planOfNothing(input.ledger);
  const actual = replay(input, nothing);
  const isFull = fullness(input);
  const replayed = (policy: OffloadPolicy, reread: number): Replayed => {
    const goes = goesOut(windowTokens === null ? policy : { ...policy, context_window_tokens: windowTokens });
    const plan: Plan = {
      ...nothing,
      envelope: policy.envelope_style === "unified" ? ENVELOPE_TOKENS.unified : ENVELOPE_TOKENS.lean,
      reread,
      offloads: ({ seq, toolName }, used) => {
        const bytes = seq === null ? undefined : sizes.get(seq);
        return bytes !== undefined && goes(toolName ?? "", bytes, used);
      },
    };
    return replay(input, plan);
  };
  const presets = PRESET_NAMES.map((preset): PresetReplay => {
    const policy = PRESETS[preset];
    if (policy.enabled === false) return replayOf(preset, actual, actual, isFull);
    const none = replayed(policy, 0);
    return replayOf(preset, none, none.offloaded === 0 ? none : replayed(policy, 0.5), isFull);
  });
  const unreported = input.ledger.calls
    .filter(({ reported, inherited }) => reported === null && !inherited)
    .reduce((sum, call) => sum + call.sum, 0);
  return { actual: actual.outcome, unreported, wasFull: isFull(actual.outcome), presets };
}

const replayOf = (
  preset: PresetName,
  none: Replayed,
  half: Replayed,
  isFull: (outcome: Outcome) => boolean,
): PresetReplay => ({
  preset,
  offloaded: none.offloaded,
  none: none.outcome,
  half: half.outcome,
  staysUnder: !isFull(none.outcome),
});

/** Compactions that a person asked for say nothing of how full it was. */
function fullness({ compactions, loadLine }: WhatIfInput): (outcome: Outcome) => boolean {
  const request = compactions.filter(({ kind, trigger }) => kind === "full" && trigger === "manual").length;
  return ({ peak, compactions: all }) => all > request || (loadLine !== null && peak >= loadLine);
}

/**
 * decideOffload for an agent that can read artifacts back, without its reasons: a million decisions are made here, and
 * words for each would take seconds.
 */
export function goesOut(
  policy: OffloadPolicy,
): (toolName: string, sizeBytes: number, usedTokens: number | null) => boolean {
  if (!isEnabled({ policy, availableTools: READ_TOOLS })) return () => false;
  const threshold = thresholdOf(policy) ?? Infinity;
  const chars = policy.max_chars ?? Infinity;
  const headroom =
    policy.headroom_percentage >= 1
      ? Infinity
      : Number((policy.headroom_percentage * policy.context_window_tokens).toPrecision(12));
  const always = new Set([...policy.always_tools, ...policy.exclude_from_context]);
  const exempt = new Set([...ARTIFACT_TOOLS, ...policy.exempt_tools]);
  return (toolName, sizeBytes, usedTokens) => {
    if (exempt.has(toolName)) return false;
    if (sizeBytes > threshold || sizeBytes > chars || always.has("*") || always.has(toolName)) return true;
    if (usedTokens === null || sizeBytes <= policy.min_threshold_bytes) return false;
    return usedTokens + Math.ceil(sizeBytes / policy.chars_per_token) > headroom;
  };
}
