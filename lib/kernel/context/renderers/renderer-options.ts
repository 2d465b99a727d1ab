// What the caller of a renderer may choose.

/** `json` compact, `spaced` with a blank after each colon and comma, `python` as Python prints it. */
export type ValueStyle = "json" | "spaced" | "python";

export type RenderOptions = {
  /** What the two generations of the memory design send, their slips included: for comparison, never for a provider. */
  readonly parity?: "autobyteus" | "autobyteus-gen1";
  /** Chat Completions: send `reasoning_content`, which DeepSeek and its like want back and others refuse. */
  readonly withReasoning?: boolean;
  /** `text`: calls and results as plain words, for models that are given no tools. */
  readonly toolHistory?: "native" | "text";
  /** How values stand in plain words. */
  readonly valueStyle?: ValueStyle;
  /** Begin with a message of the user where the list does not. Requests of Anthropic and Gemini always do. */
  readonly startWithUser?: boolean;
  /** Names of the tools that the request offers; calls of others are dropped. */
  readonly allowedTools?: readonly string[];
  /** The data: URL of a path or a pointer; null where there is none. Without it only data: and web addresses are sent. */
  readonly mediaOf?: (url: string) => string | null;
};
