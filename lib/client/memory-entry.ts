/** The memory kernel alone: traces, compaction, and the next request in a provider's shape. */
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
