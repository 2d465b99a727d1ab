// A message of the context, before a renderer gives it a provider's shape. Fields as in the memory design (AB-22).

export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  /** What a provider sent with the call and wants back as it was. Opaque: kept, and read by that provider's renderer alone. */
  readonly nativeToolCallContext?: unknown;
};

export type ToolCallsPayload = { readonly toolCalls: readonly ToolCall[] };
export type ToolResultPayload = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolResult: unknown;
  readonly toolError: string | null;
  /** Its words, and its position among the results of one answer, are what another agent sent: neither is changed. */
  readonly asSent?: true;
  /** Lengths of the blocks that the words were sent in. */
  readonly blocks?: readonly number[];
  /** We made it: the log holds no result of this call. */
  readonly synthetic?: true;
};

export type Message = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly reasoningContent?: string | null;
  readonly imageUrls?: readonly string[];
  readonly audioUrls?: readonly string[];
  readonly videoUrls?: readonly string[];
  readonly toolPayload: ToolCallsPayload | ToolResultPayload | null;
  /** A system message that was sent in the developer's name, which the Responses interface tells apart. */
  readonly isDeveloper?: true;
  /** The answer in the items of the Responses interface, where some only the service can read: it takes those back as they were. */
  readonly outputItems?: readonly Readonly<Record<string, unknown>>[];
  /** Why the model stopped, where it is known: `error` and `aborted` answers hold calls that were never run. */
  readonly stopReason?: string;
  /** Events of the log that it was made of. */
  readonly seqs?: readonly number[];
};

export const callsOf = (message: Message): readonly ToolCall[] =>
  message.toolPayload !== null && "toolCalls" in message.toolPayload ? message.toolPayload.toolCalls : [];

export const resultOf = (message: Message): ToolResultPayload | null =>
  message.toolPayload !== null && "toolCallId" in message.toolPayload ? message.toolPayload : null;
