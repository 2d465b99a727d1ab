// What an agent tells its memory, in the words of the design: a message of the user, a call, its result, an answer.

/** Spelled as agents of either kind spell it. */
export type UserInput = {
  readonly content: string;
  readonly imageUrls?: readonly string[];
  readonly audioUrls?: readonly string[];
  readonly videoUrls?: readonly string[];
  readonly image_urls?: readonly string[];
  readonly audio_urls?: readonly string[];
  readonly video_urls?: readonly string[];
};

export type ToolInvocation = {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: unknown;
  /** The turn in which it was made; its result belongs there, whenever it comes. */
  readonly turnId?: string | null;
  /** What the provider sent with it and wants back. */
  readonly nativeToolCallContext?: unknown;
};

export type ToolResultEvent = {
  readonly toolName: string;
  readonly result: unknown;
  readonly toolInvocationId?: string | null;
  readonly error?: string | null;
  readonly toolArgs?: unknown;
  readonly turnId?: string | null;
  /** Artifact that the result was offloaded to; `result` is its envelope then. */
  readonly toolResultRef?: string | null;
};

export type CompleteResponse = {
  readonly content?: string | null;
  readonly reasoning?: string | null;
  /** `error` and `aborted` answers hold calls that were never run. */
  readonly stopReason?: string;
};

/** One of them, where they come as a stream. */
export type IngestEvent =
  | { readonly kind: "user"; readonly message: UserInput; readonly turnId: string; readonly sourceEvent?: string }
  | { readonly kind: "tool_call"; readonly invocation: ToolInvocation; readonly turnId?: string }
  | { readonly kind: "tool_result"; readonly event: ToolResultEvent; readonly turnId?: string }
  | {
      readonly kind: "assistant";
      readonly response: CompleteResponse;
      readonly turnId: string;
      readonly sourceEvent?: string;
    }
  | { readonly kind: "continuation"; readonly turnId: string }
  | { readonly kind: "interrupted"; readonly turnId: string };

/** The first source of each kind of trace. */
export const SOURCE_EVENTS = {
  user: "LLMUserMessageReadyEvent",
  toolCall: "PendingToolInvocationEvent",
  toolResult: "ToolResultEvent",
  assistant: "LLMCompleteResponseReceivedEvent",
  interrupted: "AgentTurnInterruptedEvent",
  continuation: "ToolContinuationReadyEvent",
} as const;

/** All that the model is told when its tools are done: the results stand in the context already. */
export const CONTINUATION_TEXT = "All tools finished. Continue.";

export const mediaOf = (input: UserInput): { imageUrls: string[]; audioUrls: string[]; videoUrls: string[] } => ({
  imageUrls: [...(input.imageUrls ?? input.image_urls ?? [])],
  audioUrls: [...(input.audioUrls ?? input.audio_urls ?? [])],
  videoUrls: [...(input.videoUrls ?? input.video_urls ?? [])],
});

export const asInput = (input: string | UserInput): UserInput =>
  typeof input === "string" ? { content: input } : input;
