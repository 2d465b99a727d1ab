// An outcome, and what the agent's loop does with it.
import { textOfValue } from "../artifacts/pointer.ts";
import type { ToolCall } from "./bounded-tool.ts";
import type { DecisionRecord } from "./offload-output.ts";
import type { DeniedReason, ToolOutcome } from "./outcome.ts";
import { outcome } from "./outcome.ts";

export type ExecutedCall = {
  readonly outcome: ToolOutcome;
  /** The text that the model sees as the result of this call. */
  readonly content: string;
  /** Beside the text: whatever stands for an error is still told as one. */
  readonly isError: boolean;
  /** What the tool returned with `content` in the place of its text: other fields of a structured result survive. */
  readonly result: unknown;
  readonly decision: DecisionRecord | null;
};

export function denied(
  call: ToolCall,
  reason: DeniedReason,
  details: string,
  decision: DecisionRecord | null = null,
): ExecutedCall {
  const { call_id, tool_name } = call;
  return {
    outcome: outcome({ type: "ToolDenied", call_id, tool_name, reason, details }),
    content: details,
    isError: true,
    result: details,
    decision,
  };
}

export function failedCall(call: ToolCall, error: string, elapsed_ms: number): ExecutedCall {
  const { call_id, tool_name } = call;
  return {
    outcome: outcome({ type: "ToolFailure", call_id, tool_name, error, retryable: true, elapsed_ms }),
    content: error,
    isError: true,
    result: error,
    decision: null,
  };
}

/** What a thrown value says. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error && thrown.message !== "" ? thrown.message : textOfValue(thrown);

/** An error may say that it is final: `retryable: false`. */
export const isRetryable = (thrown: unknown): boolean =>
  !(typeof thrown === "object" && thrown !== null && "retryable" in thrown && thrown.retryable === false);
