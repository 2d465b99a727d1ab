/** Artifacts alone: outputs kept whole in a run's memory or in a folder, and the tools that read them back. */
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
