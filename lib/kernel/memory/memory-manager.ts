// The memory of one agent: takes in what happens, keeps the context that the next call is made of, and compacts it.
// Signatures are those of the memory design; on a store that answers at once everything but compaction is synchronous.
// After a write that was refused, open the memory again: what the store holds is the truth.
import { fail } from "../errors.ts";
import type { Message } from "../context/message.ts";
import { CompactionGate, type GateBudget, type PromptUsage } from "./compaction-gate.ts";
import { EpochKeeper, type CompactNowOptions } from "./epoch-keeper.ts";
import type { Compactor } from "./compactor.ts";
import { Ingest } from "./ingest.ts";
import { asInput, SOURCE_EVENTS } from "./ingest-types.ts";
import type { CompleteResponse, IngestEvent, ToolInvocation, ToolResultEvent, UserInput } from "./ingest-types.ts";
import { CompactionPolicy } from "./compaction-policy.ts";
import { fenceInterrupted } from "./protocol-fence.ts";
import { rawTail, tracesOfTurns } from "./corpus.ts";
import { reconcile } from "./reconcile-facts.ts";
import { Retriever } from "./retriever.ts";
import { CompactionSnapshotBuilder } from "./snapshot-builder.ts";
import { buildToolInteractions } from "./tool-interactions.ts";
import { TurnTracker } from "./turn-tracker.ts";
import type {
  CompactionOutcome,
  CompactionTrigger,
  Done,
  MemoryBundle,
  MemoryHost,
  MemoryStore,
  RawTrace,
  ToolInteraction,
} from "./memory-types.ts";
import { WorkingContextSnapshot } from "./working-context.ts";

export type MemoryManagerOptions = {
  readonly store: MemoryStore;
  readonly host: MemoryHost;
  /** Whose context the kept snapshots are; without it none is kept. */
  readonly agentId?: string | null;
  readonly generation?: 1 | 2;
  readonly turnTracker?: TurnTracker;
  /** Where each turn is a process of its own: the gate as the one before left it. */
  readonly gate?: CompactionGate;
  readonly compactionPolicy?: CompactionPolicy;
  readonly compactor?: Compactor | null;
  readonly retriever?: Retriever;
  readonly snapshotBuilder?: CompactionSnapshotBuilder;
  readonly workingContextSnapshot?: WorkingContextSnapshot;
  /** When the context is kept: after each answer, as the design has it, or when an epoch begins. */
  readonly keepSnapshots?: "response" | "epoch";
};

export class MemoryManager {
  readonly store: MemoryStore;
  #turnTracker: TurnTracker | null;
  readonly compactionPolicy: CompactionPolicy;
  readonly compactor: Compactor | null;
  readonly retriever: Retriever;
  readonly gate: CompactionGate;
  readonly #ingest: Ingest;
  readonly #epochs: EpochKeeper;
  #activeTurnId: string | null = null;

  constructor(options: MemoryManagerOptions) {
    const { store, host, generation = 1 } = options;
    this.store = store;
    this.gate = options.gate ?? new CompactionGate();
    this.#turnTracker = options.turnTracker ?? null;
    this.compactor = options.compactor ?? null;
    this.compactionPolicy = options.compactionPolicy ?? this.compactor?.policy ?? new CompactionPolicy();
    this.retriever = options.retriever ?? new Retriever(store);
    this.#epochs = new EpochKeeper({
      store,
      host,
      agentId: options.agentId ?? null,
      generation,
      policy: this.compactionPolicy,
      compactor: this.compactor,
      retriever: this.retriever,
      builder: options.snapshotBuilder ?? new CompactionSnapshotBuilder(this.compactionPolicy, { generation }),
      gate: this.gate,
      context: options.workingContextSnapshot ?? new WorkingContextSnapshot(),
      keepsResponses: (options.keepSnapshots ?? "response") === "response",
      pendingKeys: () => this.#ingest.pendingKeys,
    });
    this.#ingest = new Ingest({ store, host, generation, context: () => this.#epochs.context });
  }

  /**
   * A memory that goes on where its store ends: with the context that was kept, in its epoch; or, where none was kept
   * that is valid, with one made of what memory says and every turn that is still raw.
   */
  static open(options: MemoryManagerOptions & { readonly systemPrompt?: string | null }): MemoryManager {
    if (options.workingContextSnapshot !== undefined) return new MemoryManager(options);
    const kept = options.store.readSnapshot();
    const workingContextSnapshot = kept === null ? new WorkingContextSnapshot() : WorkingContextSnapshot.restore(kept);
    const memory = new MemoryManager({ ...options, workingContextSnapshot });
    if (kept === null) memory.#epochs.rebuild(options.systemPrompt ?? null, memory.retrieve());
    reconcile(workingContextSnapshot, options.store);
    return memory;
  }

  get turnTracker(): TurnTracker {
    return (this.#turnTracker ??= TurnTracker.after(this.store.corpus()));
  }

  get workingContextSnapshot(): WorkingContextSnapshot {
    return this.#epochs.context;
  }

  get epochId(): number {
    return this.#epochs.context.epochId;
  }

  /** The turn that was begun last. */
  get activeTurnId(): string | null {
    return this.#activeTurnId;
  }

  startTurn(): string {
    this.#activeTurnId = this.turnTracker.nextTurnId();
    return this.#activeTurnId;
  }

  ingest(event: IngestEvent): Done {
    if (event.kind === "user") return this.ingestUserMessage(event.message, event.turnId, event.sourceEvent);
    if (event.kind === "tool_call") return this.ingestToolIntent(event.invocation, event.turnId);
    if (event.kind === "tool_result") return this.ingestToolResult(event.event, event.turnId);
    if (event.kind === "continuation") return this.ingestToolContinuation(event.turnId);
    if (event.kind === "interrupted") return this.interruptTurn(event.turnId);
    return this.ingestAssistantResponse(event.response, event.turnId, event.sourceEvent);
  }

  /** Records what the user said. It comes into the context with the request that is made of it. */
  ingestUserMessage(message: string | UserInput, turnId: string, sourceEvent: string = SOURCE_EVENTS.user): Done {
    this.#activeTurnId = turnId;
    return this.#ingest.userMessage(asInput(message), turnId, sourceEvent);
  }

  /** What the user said, as the last message of the context. */
  appendUserInput(message: string | UserInput, turnId: string | null = null): void {
    this.#ingest.appendUser(asInput(message), turnId);
  }

  ingestToolIntent(invocation: ToolInvocation, turnId?: string | null): Done {
    return this.#ingest.toolIntents([invocation], turnId);
  }

  /** Calls of one answer: one message. */
  ingestToolIntents(invocations: readonly ToolInvocation[], turnId?: string | null): Done {
    return this.#ingest.toolIntents(invocations, turnId);
  }

  /** `turnId` is where a result goes that names no turn and whose call is not out. */
  ingestToolResult(event: ToolResultEvent, turnId?: string | null): Done {
    return this.#ingest.toolResults([event], turnId);
  }

  ingestToolResults(events: readonly ToolResultEvent[], turnId?: string | null): Done {
    return this.#ingest.toolResults(events, turnId);
  }

  ingestAssistantResponse(
    response: CompleteResponse,
    turnId: string,
    sourceEvent: string = SOURCE_EVENTS.assistant,
  ): Done {
    const done = this.#ingest.assistantResponse(response, turnId, sourceEvent);
    return done === undefined ? this.#epochs.keepResponse() : done.then(() => this.#epochs.keepResponse());
  }

  ingestToolContinuation(turnId: string): Done {
    return this.#ingest.continuation(turnId);
  }

  interruptTurn(turnId: string): Done {
    return this.#ingest.interrupted(turnId);
  }

  get compactionRequired(): boolean {
    return this.gate.required !== null;
  }

  requestCompaction(trigger: CompactionTrigger = "budget"): void {
    this.gate.request(trigger);
  }

  clearCompactionRequest(): void {
    this.gate.clear();
  }

  /** Takes in what the provider counted after a response; asks for a compaction before the next call where it must. */
  observeUsage(usage: PromptUsage, budget: GateBudget | null): CompactionTrigger | "stale" | null {
    return this.gate.observe(usage, this.epochId, budget, this.compactionPolicy);
  }

  retrieve(
    maxEpisodic: number = this.compactionPolicy.maxEpisodicItems,
    maxSemantic: number = this.compactionPolicy.maxSemanticItems,
  ): MemoryBundle {
    return this.retriever.retrieve(maxEpisodic, maxSemantic);
  }

  buildSnapshot(systemPrompt: string | null, bundle: MemoryBundle, rawTraces: readonly RawTrace[]): Message[] {
    return this.#epochs.builder.build(systemPrompt, bundle, rawTraces);
  }

  /** Begins the next epoch with these messages. */
  resetWorkingContextSnapshot(snapshot: Iterable<Message>): Done {
    return this.#epochs.reset([...snapshot]);
  }

  /** The same, by the name that the design's §18 has for it. */
  resetTranscript(snapshotMessages: Iterable<Message>): Done {
    return this.resetWorkingContextSnapshot(snapshotMessages);
  }

  getTranscriptMessages(): Message[] {
    return this.getWorkingContextMessages();
  }

  getWorkingContextMessages(): Message[] {
    return this.#epochs.context.buildMessages();
  }

  /** What the next request holds: the context, with calls of interrupted turns as words. */
  projectMessages(): Message[] {
    return fenceInterrupted(this.#epochs.context.entries, (turnId) => this.#ingest.isInterrupted(turnId));
  }

  getRawTail(tailTurns: number, excludeTurnId: string | null = null): RawTrace[] {
    return rawTail(this.store.listTraces(), tailTurns, excludeTurnId);
  }

  getTracesForTurns(turnIds: readonly string[]): RawTrace[] {
    return tracesOfTurns(this.store.listTraces(), turnIds);
  }

  getToolInteractions(turnId: string | null = null): ToolInteraction[] {
    return buildToolInteractions(this.store.listTraces(), turnId);
  }

  /** Compacts turns by name, and begins the next epoch. Null for none; what goes wrong is thrown, nothing is changed. */
  async compact(turnIds: readonly string[], options: CompactNowOptions = {}): Promise<CompactionOutcome | null> {
    return turnIds.length === 0
      ? null
      : this.#epochs.compactTurns(turnIds, { ...options, currentTurnId: this.#currentTurn(options) });
  }

  /** Compacts what can be compacted, and says how it ended. Asked twice at once, it is done once. */
  async compactNow(options: CompactNowOptions = {}): Promise<CompactionOutcome> {
    return this.#epochs.compactNow({ ...options, currentTurnId: this.#currentTurn(options) });
  }

  /** The turn under way stays word for word, unless it is said that there is none. */
  #currentTurn({ currentTurnId }: CompactNowOptions): string | null {
    return currentTurnId === undefined ? this.#activeTurnId : currentTurnId;
  }

  /** Brings back what the last compaction changed, in an epoch of its own. */
  async undo(runId: string): Promise<void> {
    if (this.store.undo === undefined)
      fail("unsupported", "This memory's store has no undo data. Restore it from its archive.");
    return this.#epochs.undo(runId, this.#activeTurnId);
  }
}
