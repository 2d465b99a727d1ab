// The decision: does a tool output enter the context as it is, as an envelope, or cut? A pure function of the output's
// size, the policy and the moment, so that it can be told why, replayed, and computed for sessions of other agents.
// Limits are exceeded strictly: an output of exactly the limit stays.
import type { OffloadPolicy } from "./offload-presets.ts";
import { ARTIFACT_TOOLS, READ_TOOLS } from "./tool-names.ts";

export type OffloadGate = "none" | "size" | "chars" | "headroom" | "always" | "exempt" | "disabled" | "late";
export type OffloadAction = "inline" | "artifact" | "truncate" | "drop";

export type ToolOutput = {
  readonly toolName: string;
  /** Bytes of UTF-8 of the text that would enter the context, after everything that may change it. */
  readonly sizeBytes: number;
  /** Code points of it, or null for bytes that are no text. */
  readonly chars: number | null;
  /** The output is itself an envelope (isEnvelope): a pointer is never put behind a pointer. */
  readonly isEnvelope?: boolean;
};

export type OffloadSituation = {
  readonly policy: OffloadPolicy;
  readonly availableTools: readonly string[];
  readonly usedInputTokens: number | null;
  readonly writesClosed: boolean;
};

export type OffloadDecision = {
  readonly action: OffloadAction;
  readonly gate: OffloadGate;
  readonly thresholdBytes: number | null;
  readonly reason: string;
};

export function decideOffload(output: ToolOutput, situation: OffloadSituation): OffloadDecision {
  const { policy } = situation;
  const thresholdBytes = thresholdOf(policy);
  const decide = (action: OffloadAction, gate: OffloadGate, reason: string): OffloadDecision => ({
    action,
    gate,
    thresholdBytes,
    reason,
  });
  if (ARTIFACT_TOOLS.has(output.toolName))
    return decide(
      "inline",
      "exempt",
      `What ${output.toolName} returns is never offloaded: it reads or stores artifacts.`,
    );
  if (policy.exempt_tools.includes(output.toolName))
    return decide("inline", "exempt", `${output.toolName} is on the policy's list of exempt tools.`);
  if (output.isEnvelope === true)
    return decide("inline", "exempt", "The output is itself an envelope that points to an artifact.");
  if (!isEnabled(situation))
    return decide(
      "inline",
      "disabled",
      policy.enabled === false
        ? "Offloading is off."
        : "The agent has no tool to read artifacts, so the output stays inline.",
    );
  if (situation.writesClosed)
    return decide("drop", "late", "The output came after its turn was closed, so it was not saved.");

  const over = overWhat(output, situation, thresholdBytes);
  if (over === null) return decide("inline", "none", insideWhat(output, policy, thresholdBytes));
  const action = modeOf(situation);
  const outcome = action === "artifact" ? "stored as an artifact" : "cut to its head and tail";
  return decide(action, over.gate, `${over.because}, so it is ${outcome}.`);
}

/** The size in bytes that an output may have, or null when the policy has none. */
export function thresholdOf(policy: OffloadPolicy): number | null {
  if (policy.max_bytes !== null) return policy.max_bytes;
  if (policy.context_percentage === null) return null;
  const share = shareOf(policy.context_percentage, policy.context_window_tokens * policy.chars_per_token);
  return Math.min(Math.max(Math.floor(share), policy.min_threshold_bytes), policy.max_threshold_bytes);
}

/** Percentages are written in decimals: 0.07 × 100 is 7.000000000000001 in binary, and 7 here. */
const shareOf = (percentage: number, whole: number): number => Number((percentage * whole).toPrecision(12));

/** Whether the policy decides anything for an agent that has these tools. */
export function isEnabled({ policy, availableTools }: Pick<OffloadSituation, "policy" | "availableTools">): boolean {
  if (policy.enabled !== "auto") return policy.enabled;
  return canReadBack(availableTools) || policy.mode === "truncate";
}

const canReadBack = (availableTools: readonly string[]): boolean =>
  READ_TOOLS.some((tool) => availableTools.includes(tool));

function modeOf({ policy, availableTools }: OffloadSituation): "artifact" | "truncate" {
  if (policy.mode !== "auto") return policy.mode;
  return canReadBack(availableTools) ? "artifact" : "truncate";
}

type Over = { readonly gate: OffloadGate; readonly because: string };

function overWhat(output: ToolOutput, situation: OffloadSituation, threshold: number | null): Over | null {
  const { policy, usedInputTokens } = situation;
  const { toolName, sizeBytes, chars } = output;
  if (policy.exclude_from_context.includes(toolName))
    return { gate: "always", because: `The policy keeps what ${toolName} returns out of the context` };
  if (policy.always_tools.includes(toolName) || policy.always_tools.includes("*"))
    return { gate: "always", because: `The policy always offloads what ${toolName || "a tool"} returns` };
  if (threshold !== null && sizeBytes > threshold)
    return { gate: "size", because: `${n(sizeBytes)} bytes are over the limit of ${limitText(policy, threshold)}` };
  if (policy.max_chars !== null && chars !== null && chars > policy.max_chars)
    return { gate: "chars", because: `${n(chars)} characters are over the limit of ${n(policy.max_chars)}` };
  if (policy.headroom_percentage >= 1 || usedInputTokens === null || sizeBytes <= policy.min_threshold_bytes)
    return null;
  const after = usedInputTokens + Math.ceil(sizeBytes / policy.chars_per_token);
  const headroom = shareOf(policy.headroom_percentage, policy.context_window_tokens);
  if (after <= headroom) return null;
  return {
    gate: "headroom",
    because:
      `With it the context would hold about ${n(after)} tokens, over ${percent(policy.headroom_percentage)} of the ` +
      `${n(policy.context_window_tokens)}-token window`,
  };
}

function insideWhat({ sizeBytes, chars }: ToolOutput, policy: OffloadPolicy, threshold: number | null): string {
  if (threshold !== null) return `${n(sizeBytes)} bytes are within the limit of ${limitText(policy, threshold)}.`;
  if (policy.max_chars !== null && chars !== null)
    return `${n(chars)} characters are within the limit of ${n(policy.max_chars)}.`;
  return `${n(sizeBytes)} bytes: the policy sets no limit for this output.`;
}

function limitText(policy: OffloadPolicy, threshold: number): string {
  if (policy.max_bytes !== null || policy.context_percentage === null) return `${n(threshold)} bytes`;
  const window = `${percent(policy.context_percentage)} of a ${n(policy.context_window_tokens)}-token window`;
  if (threshold === policy.max_threshold_bytes) return `${n(threshold)} bytes (the ceiling; ${window} would be more)`;
  if (threshold === policy.min_threshold_bytes) return `${n(threshold)} bytes (the floor; ${window} would be less)`;
  return `${n(threshold)} bytes (${window})`;
}

/** Whole numbers, in groups of three. The first `toLocaleString` of a process takes 12 ms, for which an agent waits in its hook. */
const n = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const percent = (share: number): string => `${Number((share * 100).toPrecision(12))} %`;
