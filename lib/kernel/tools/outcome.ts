// What comes of one tool call: exactly one of five frozen records. Field names are those of the design that we follow,
// since agents match on them; `type` stands for the class.

type OfCall = { readonly call_id: string; readonly tool_name: string };

/** The tool answered, and the answer goes into the context as it is. */
export type ToolExecutionResult = OfCall & {
  readonly type: "ToolExecutionResult";
  readonly output: unknown;
  /** Time inside the tool; waiting for an approval is not in it. */
  readonly elapsed_ms: number;
  /** The arguments were changed to fit the tool's schema. */
  readonly was_coerced: boolean;
};

/** The tool did not answer in time. What it still returns is dropped. */
export type ToolTimeout = OfCall & {
  readonly type: "ToolTimeout";
  /** The moment that passed, in seconds since 1970. */
  readonly deadline_s: number;
  readonly elapsed_ms: number;
  readonly retryable: boolean;
};

/** The tool threw, or answered with an error. */
export type ToolFailure = OfCall & {
  readonly type: "ToolFailure";
  readonly error: string;
  readonly retryable: boolean;
  readonly elapsed_ms: number;
};

export const DENIED_REASONS = ["duplicate", "blocked", "pre_hook", "validation", "deadline"] as const;
export type DeniedReason = (typeof DENIED_REASONS)[number];

/** The call was not made, or its turn ended before there was anything to keep. */
export type ToolDenied = OfCall & {
  readonly type: "ToolDenied";
  readonly reason: DeniedReason;
  readonly details: string;
};

/** The tool answered with more than the context should hold: the whole is stored, an envelope stands for it. */
export type ToolArtifactReference = OfCall & {
  readonly type: "ToolArtifactReference";
  readonly artifact_id: string;
  readonly summary: string;
  readonly size_bytes: number;
};

export type ToolOutcome = ToolExecutionResult | ToolTimeout | ToolFailure | ToolDenied | ToolArtifactReference;

/** A frozen outcome: what was decided about a call does not change afterwards. */
export const outcome = <T extends ToolOutcome>(fields: T): T => Object.freeze(fields);
