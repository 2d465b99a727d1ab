/**
 * What an agent author imports. One idea in three forms: a tool output that is too large for the context is kept whole
 * outside it, and the model gets a short text that it can follow.
 *
 * - In a run's memory: `storeArtifact`, `getArtifact`, `listArtifacts`, `artifactTools`, `withArtifacts`.
 * - In a folder: `ArtifactStore`, `getArtifactStore`, `readFileTool`.
 * - In a running Plimsoll: `Plimsoll`, `remoteTools`.
 * - Around the tools of a framework: `ArtifactKit`, `connectKit`, and the adapters of docs/library.md.
 *
 * `BoundedToolExecutor` runs tools inside their time and puts large outputs into any of the three. docs/library.md shows
 * each with an example.
 */
export { BoundedToolExecutor } from "#lib/kernel/tools/bounded-tool-executor.ts";
export type {
  Approval,
  ExecutorHost,
  ExecutorOptions,
  OutputCache,
  ResultTrace,
} from "#lib/kernel/tools/bounded-tool-executor.ts";
export type { ArtifactBackend, OutputToStore, StoreOutcome } from "#lib/kernel/tools/artifact-backend.ts";
export type { BoundedTool, CallContext, ToolCall } from "#lib/kernel/tools/bounded-tool.ts";
export type { ExecutedCall } from "#lib/kernel/tools/executed-call.ts";
export type { DecisionRecord } from "#lib/kernel/tools/offload-output.ts";
export type {
  ToolArtifactReference,
  ToolDenied,
  ToolExecutionResult,
  ToolFailure,
  ToolOutcome,
  ToolTimeout,
} from "#lib/kernel/tools/outcome.ts";
export { TurnState } from "#lib/kernel/tools/turn-state.ts";
export { PRESET_NAMES, policyOf } from "#lib/kernel/artifacts/offload-presets.ts";
export type { OffloadPolicy, PolicyInput, PresetName } from "#lib/kernel/artifacts/offload-presets.ts";
export { AppError, isAppError } from "#lib/kernel/errors.ts";

export {
  approxByteSize,
  getArtifact,
  isPointer,
  listArtifacts,
  nameHistory,
  storeArtifact,
} from "./in-memory-artifacts.ts";
export type { ArtifactContext, ArtifactPointer, StoredArtifact } from "./in-memory-artifacts.ts";
export { artifactTools } from "./in-memory-tools.ts";
export { applyArtifactPolicy, memoryBackend, withArtifacts } from "./in-memory-policy.ts";
export type { ArtifactsConfig } from "./in-memory-policy.ts";

export { ArtifactStore } from "./artifact-store.ts";
export type { ArtifactStoreOptions, StoreResult, StoreStats } from "./artifact-store.ts";
export type { ArtifactRef } from "./artifact-ref.ts";
export { getArtifactStore } from "./global-store.ts";
export { readFileTool } from "./read-file-tool.ts";
export type { ArtifactTool } from "./artifact-tool.ts";

export { Plimsoll } from "./remote.ts";
export type { RemoteOptions } from "./remote.ts";
export { RemoteSession } from "./remote-session.ts";
export type { OutputOptions, ReadRange, StoreOptions } from "./remote-session.ts";
export { ArtifactKit } from "./artifact-kit.ts";
export type { ArtifactKitOptions, CallOfTool, OffloadedOutput } from "./artifact-kit.ts";
export { connectKit } from "./connect-kit.ts";
export type { ConnectedKit, ConnectOptions } from "./connect-kit.ts";
export type { Conversation, ModelAnswer, SentMessage } from "./conversation.ts";
export { Recorder } from "./recorder/event-recorder.ts";
export type { RecorderOptions, RecorderStats } from "./recorder/event-recorder.ts";
export type { CallRecord, EventRecord, RecordedUsage } from "./recorder/record-types.ts";
export { folderBackend, remoteBackend, remoteTools } from "./backends.ts";
export { nodeHost } from "./node-host.ts";

export { migrateSession } from "#lib/agent-dirs/openclaw/migrate-session.ts";
export type { MigrateOptions, MigrationReport } from "#lib/agent-dirs/openclaw/migrate-session.ts";
export { rehydrate, rehydrateMessage } from "#lib/agent-dirs/openclaw/rehydrate.ts";

export { MemoryManager } from "#lib/kernel/memory/memory-manager.ts";
export type { MemoryManagerOptions } from "#lib/kernel/memory/memory-manager.ts";
export { Compactor } from "#lib/kernel/memory/compactor.ts";
export { CompactionGate } from "#lib/kernel/memory/compaction-gate.ts";
export type { GateState } from "#lib/kernel/memory/compaction-gate.ts";
export { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
export { CompactionSnapshotBuilder } from "#lib/kernel/memory/snapshot-builder.ts";
export { Retriever } from "#lib/kernel/memory/retriever.ts";
export { LLMRequestAssembler } from "#lib/kernel/memory/request-assembler.ts";
export { InMemoryMemoryStore } from "#lib/kernel/memory/in-memory-store.ts";
export { extractiveSummarizer } from "#lib/kernel/memory/extractive/extractive-summarizer.ts";
export type { MessageStage } from "#lib/kernel/memory/request-assembler.ts";
export {
  memoryIngestInputProcessor,
  memoryIngestToolResultProcessor,
  processInOrder,
} from "#lib/kernel/memory/ingest-processors.ts";
export { FailureTracker, reflect, withReflections } from "#lib/kernel/memory/reflection.ts";
export { fitBudget, planFit } from "#lib/kernel/artifacts/fit.ts";
export type { FitMessage, FitPlan } from "#lib/kernel/artifacts/fit.ts";
export { ContextPruner } from "#lib/kernel/context/prune.ts";
export { recallSection } from "#lib/kernel/artifacts/recall.ts";
export type { RecallEntry } from "#lib/kernel/artifacts/recall.ts";
export { recallBlock, withRecall } from "#lib/kernel/memory/recall/recall-block.ts";
export type { RecallBlock } from "#lib/kernel/memory/recall/recall-block.ts";
export type { Message, ToolCallsPayload, ToolResultPayload } from "#lib/kernel/context/message.ts";
export { WorkingContextSnapshot } from "#lib/kernel/memory/working-context.ts";
export { render } from "#lib/kernel/context/render.ts";
export type {
  AnthropicRequest,
  ChatRequest,
  GeminiRequest,
  ResponsesRequest,
} from "#lib/kernel/context/renderers/provider-requests.ts";
export { openMemory } from "#lib/agent-dirs/autobyteus/open-memory.ts";
export type { MemoryInput } from "#lib/agent-dirs/autobyteus/open-memory.ts";
export type { Generation } from "#lib/agent-dirs/autobyteus/raw-trace.ts";
export type {
  CompactionOutcome,
  EpisodicItem,
  MemoryBundle,
  MemoryStore,
  RawTrace,
  SemanticItem,
  Summarizer,
  ToolInteraction,
} from "#lib/kernel/memory/memory-types.ts";
