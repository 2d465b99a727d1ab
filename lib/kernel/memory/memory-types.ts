// What the memory kernel and its stores agree on. Raw traces are the log of an agent as its memory design writes it;
// episodic and semantic items are what outlives an epoch; tool interactions are derived, and never stored. Names are
// the design's, in camelCase: the snake_case of its files stands in lib/agent-dirs alone.
import type { Message } from "../context/message.ts";

/** Where time and names come from. `newId` gives a fresh uuid; `now` milliseconds since 1970. */
export type MemoryHost = { now(): number; newId(): string };

/** What a store has done at once, or will have done: stores in RAM answer at once, others may take their time. */
export type Done = void | Promise<void>;

export const TRACE_TYPES = [
  "user",
  "assistant",
  "tool_call",
  "tool_result",
  "reasoning",
  "tool_continuation",
  "operation_boundary",
  "provider_compaction_boundary",
] as const;
export type TraceType = (typeof TRACE_TYPES)[number];

export type TraceMedia = {
  readonly images?: readonly string[];
  readonly audio?: readonly string[];
  readonly video?: readonly string[];
};

/** One raw event of an agent. Its id is not unique in directories that others wrote: see traceKey. */
export type RawTrace = {
  readonly id: string;
  /** Seconds since 1970. */
  readonly ts: number;
  /** Null for records without a turn: those are never compacted away. */
  readonly turnId: string | null;
  /** From 1 within the turn. */
  readonly seq: number;
  readonly traceType: TraceType | (string & {});
  readonly content: string;
  readonly sourceEvent: string;
  readonly media?: TraceMedia | null;
  readonly toolName?: string | null;
  readonly toolCallId?: string | null;
  readonly toolArgs?: unknown;
  /** Absent and null say that there is none; 0, "" and false are results. */
  readonly toolResult?: unknown;
  readonly toolError?: string | null;
  readonly correlationId?: string | null;
  readonly tags?: readonly string[];
  /** Artifact that the result was offloaded to. */
  readonly toolResultRef?: string | null;
  /** Keys that we do not know, as they stood in the file. */
  readonly unknown?: Readonly<Record<string, unknown>>;
};

export type EpisodicItem = {
  readonly id: string;
  readonly ts: number;
  readonly turnIds: readonly string[];
  readonly summary: string;
  readonly salience: number;
  readonly tags?: readonly string[];
  /** The compaction that made it. */
  readonly runId?: string;
};

/** Highest first. */
export const SEMANTIC_CATEGORIES = [
  "critical_issue",
  "unresolved_work",
  "user_preference",
  "durable_fact",
  "important_artifact",
] as const;
export type SemanticCategory = (typeof SEMANTIC_CATEGORIES)[number];

export type SemanticItem = {
  readonly id: string;
  readonly ts: number;
  readonly fact: string;
  readonly salience: number;
  readonly category?: SemanticCategory;
  readonly tags?: readonly string[];
  readonly confidence?: number;
  readonly runId?: string;
};

export type MemoryType = "raw_trace" | "episodic" | "semantic";
export type MemoryItem = RawTrace | EpisodicItem | SemanticItem;
export type MemoryItemOf = { raw_trace: RawTrace; episodic: EpisodicItem; semantic: SemanticItem };

export const memoryTypeOf = (item: MemoryItem): MemoryType =>
  "traceType" in item ? "raw_trace" : "fact" in item ? "semantic" : "episodic";

/** What names a trace. Ids alone collide: two traces of one millisecond share theirs. */
export const traceKey = (trace: Pick<RawTrace, "id" | "turnId" | "seq" | "traceType">): string =>
  JSON.stringify([trace.id, trace.turnId, trace.seq, trace.traceType]);

export type InteractionStatus = "pending" | "success" | "error";

/** A tool call and its result, paired; derived from traces whenever it is asked for. */
export type ToolInteraction = {
  /** Turn, call id and the how-manieth use of that id in the turn. */
  readonly key: string;
  readonly toolCallId: string | null;
  readonly turnId: string | null;
  readonly toolName: string | null;
  /** Null where a result came without its call. */
  readonly arguments: unknown;
  readonly result: unknown;
  readonly error: string | null;
  readonly status: InteractionStatus;
  readonly pairing: "id" | "positional" | "orphan_result";
  readonly callTrace: RawTrace | null;
  readonly resultTrace: RawTrace | null;
  /** Seconds since 1970, of the call and of the result. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly elapsedMs: number | null;
};

/** The working context as it is kept: one per epoch. */
export type MemorySnapshot = {
  readonly agentId: string;
  readonly epochId: number;
  /** Seconds since 1970. */
  readonly lastCompactionTs: number | null;
  readonly schemaVersion: number;
  readonly messages: readonly Message[];
};

export type MemoryBundle = {
  readonly episodic: readonly EpisodicItem[];
  readonly semantic: readonly SemanticItem[];
};

/** What a summarizer made of a cut. */
export type SummarizerResult = {
  readonly summary: string;
  readonly facts: readonly SummarizedFact[];
  readonly salience?: number;
  readonly tags?: readonly string[];
  /** Lines of the summary with the traces that each stands for. */
  readonly lines?: readonly SummaryLine[];
  /** Failures, files and artifacts are in the summary already: it is stored as it is, and nothing is put behind it. */
  readonly hasDiagnostics?: boolean;
};

export type SummarizedFact = {
  readonly fact: string;
  readonly category?: SemanticCategory;
  readonly tags?: readonly string[];
  readonly confidence?: number;
  readonly salience?: number;
  /** Positions in the log that it was read off, where the summarizer knows them. */
  readonly seqs?: readonly number[];
};

export type SummaryLine = {
  readonly text: string;
  readonly turnIds: readonly string[];
  /** traceKey of each. */
  readonly traceIds: readonly string[];
};

export type SummarizerContext = {
  readonly unit: CompactionUnit;
  readonly turnIds: readonly string[];
  /** Characters that the summary may take, where somebody set a budget. */
  readonly budgetChars?: number;
  /** Characters of it that the next context will show: what is longer is cut there. */
  readonly mostChars?: number;
  /** Facts that memory has already. */
  readonly known?: readonly string[];
  /** What the one who asks wants of the summary; without a model it says nothing. */
  readonly instructions?: string | undefined;
  readonly signal?: AbortSignal;
};

/** Makes a summary and facts of raw traces. Text of traces is data: whoever gives it to a model redacts and fences it. */
export type Summarizer<Made extends SummarizerResult = SummarizerResult> = {
  readonly id?: string;
  summarize(traces: readonly RawTrace[], context: SummarizerContext): Promise<Made> | Made;
};

export type CompactionUnit = "turn" | "block";
export type CompactionTrigger = "budget" | "early" | "manual" | "overflow";

export const COMPACTION_STATUSES = [
  "planned",
  "summarized",
  "archived",
  "pruned",
  "complete",
  "failed",
  "nothing_to_compact",
  "undone",
] as const;
export type CompactionStatus = (typeof COMPACTION_STATUSES)[number];

/** One compaction, from plan to end. Every one is shown: nothing leaves the context unseen. */
export type CompactionRun = {
  readonly id: string;
  readonly trigger: CompactionTrigger;
  readonly unit: CompactionUnit | null;
  readonly status: CompactionStatus;
  /** Why it failed, or why there was nothing to do. */
  readonly reason: string | null;
  readonly turnIds: readonly string[];
  /** traceKey of each trace that the summary takes the place of, in order. */
  readonly traceKeys: readonly string[];
  readonly epochBefore: number;
  readonly epochAfter: number | null;
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
};

/** What a compaction takes. */
export type CompactionPlan = {
  readonly unit: CompactionUnit;
  readonly turnIds: readonly string[];
  /** What the summary takes the place of, in order. */
  readonly traces: readonly RawTrace[];
};

/** What one compaction stored: the items that it made, of the traces that it cut. */
export type CompactionResult<Made extends SummarizerResult = SummarizerResult> = {
  readonly run: CompactionRun;
  readonly episodic: readonly EpisodicItem[];
  readonly semantic: readonly SemanticItem[];
  readonly lines: readonly SummaryLine[];
  /** As the summarizer gave it. */
  readonly made: Made;
};

/** How a compaction ended. `result` stands with `complete` alone. */
export type CompactionOutcome<Made extends SummarizerResult = SummarizerResult> = {
  readonly status: "complete" | "nothing_to_compact" | "failed";
  readonly reason: string | null;
  readonly run: CompactionRun;
  readonly result: CompactionResult<Made> | null;
};

/** Everything that one compaction changes in a store: all of it, or nothing. */
export type CompactionChange<Made extends SummarizerResult = SummarizerResult> = {
  readonly runId: string;
  readonly episodic: readonly EpisodicItem[];
  readonly semantic: readonly SemanticItem[];
  /** traceKey of each trace that leaves the active list; a key names every active trace that has it. */
  readonly remove: ReadonlySet<string>;
  /** The context that it begins the next epoch with; null keeps the one that is there. */
  readonly snapshot: MemorySnapshot | null;
  /** Where it comes from, for a store that keeps more of a compaction than its items. */
  readonly source?: { readonly run: CompactionRun; readonly plan: CompactionPlan; readonly made: Made };
};

/**
 * Where memory is kept. Reading answers at once: a store that reads from elsewhere has read when it is opened. Writing
 * may take time; writes are done in the order in which they were asked for.
 */
export type MemoryStore<Made extends SummarizerResult = SummarizerResult> = {
  /** Appends, each item to its own list. */
  add(items: readonly MemoryItem[]): Done;
  /** All items of a type in the order of their file, or the last `limit` of them; nothing kept yet is an empty list. */
  list<T extends MemoryType>(type: T, limit?: number): readonly MemoryItemOf[T][];
  /** Raw traces that no compaction has taken away. */
  listTraces(): readonly RawTrace[];
  /** Raw traces that compactions took away, oldest first. */
  listArchived(): readonly RawTrace[];
  /** Archive and active list as one, each trace once by traceKey, the active one first; by time, turn, seq, id. */
  corpus(): readonly RawTrace[];
  /** Archives first, verifies, and only then takes away. Asked for the same change again, it does nothing. */
  compact(change: CompactionChange<Made>): Done;
  readSnapshot(): MemorySnapshot | null;
  writeSnapshot(snapshot: MemorySnapshot): Done;
  /** Brings back what a compaction changed. Items and messages that came later stay. */
  undo?(runId: string): Done;
  /** The context, where the log says it: an epoch begins with this, not with what a builder makes of memory. */
  readContext?(): readonly Message[] | Promise<readonly Message[]>;
};
