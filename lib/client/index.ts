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
export * from "./artifacts-entry.ts";
export * from "./memory-entry.ts";

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
