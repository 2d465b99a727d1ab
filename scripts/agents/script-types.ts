// What a scripted model is told to say, and what it keeps of what it was asked. Plain JSON: it crosses into the namespace as a file.

/** What the model asks of a tool. */
export type ScriptedTool = {
  readonly name: string;
  readonly input: unknown;
  /** Codex names the tools of an MCP server apart from the server. */
  readonly namespace?: string;
  /** The bytes that the tool writes, where the script knows them: what is stored must be these. */
  readonly writes?: string;
};

/** One answer. */
export type Step = {
  readonly thinking?: string;
  readonly text?: string;
  readonly tools?: readonly ScriptedTool[];
  /** Waits before the first byte; an agent that is interrupted meanwhile gets nothing. */
  readonly delayMs?: number;
  /** Refuses with this HTTP status. */
  readonly status?: number;
};

export type Script = {
  /** Answers by lane, in order. A request belongs to the first lane whose `marker` stands in its first prompt; else to "main". */
  readonly lanes: Readonly<Record<string, readonly Step[]>>;
  readonly markers?: Readonly<Record<string, string>>;
  /** Answers to prompts of the agent itself, such as a compaction's: when the last message holds these words. */
  readonly asides?: readonly { readonly words: string; readonly step: Step }[];
  /** 4 where nothing is said. 1 makes every text weigh four times as much, to fill a window with few bytes. */
  readonly charsPerToken?: number;
};

export type Api = "messages" | "responses" | "chat" | "gemini";

/** What a request was charged. */
export type ChargedUsage = {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Reasoning too. */
  readonly output: number;
  readonly reasoning: number;
};

export type Body = Readonly<Record<string, unknown>>;

/** A request as it came over the wire, with the answer that it got. */
export type KeptRequest = {
  readonly n: number;
  readonly atMs: number;
  readonly api: Api;
  readonly lane: string;
  /** As the body names it, or the address. */
  readonly model?: string;
  readonly body: Body;
  /** Of the body's bytes, without their coding. */
  readonly sha256: string;
  /** Null where the agent was gone before it was answered. */
  readonly answer: KeptAnswer | null;
};

export type KeptAnswer = {
  readonly status: number;
  /** Of the message or response. */
  readonly id: string;
  /** Ids of what is in it; each stands in the agent's file. */
  readonly itemIds: readonly string[];
  readonly usage: ChargedUsage;
  readonly toolCalls: readonly { readonly id: string; readonly tool: ScriptedTool }[];
};
