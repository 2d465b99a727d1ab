// Every write that a door may ask for, by name. Each is a function of the open batch: it adds rows and registry lines, and
// the barrier comes after it. A name travels to the thread that writes, so what it takes and answers can be cloned.
import { detachFolder, syncAttached } from "./memory/sync-directory.ts";
import { addArtifact } from "./artifacts/add-artifact.ts";
import { addOutput } from "./artifacts/add-output.ts";
import { addTombstone, dropBlob, endArtifacts, expireDue, retire } from "./artifacts/bury.ts";
import { addHeldSession } from "./artifacts/held-session.ts";
import { addLineIndex, addReads } from "./artifacts/reading-rows.ts";
import { saveClock } from "./base/clock-guard.ts";
import { keepRetention } from "./settings/retention-setting.ts";
import { addClosedTurn } from "./artifacts/turns.ts";
import { keepCalibration } from "./load/calibrated.ts";
import { addCompaction } from "./memory/add-compaction.ts";
import { addEvents } from "./memory/add-events.ts";
import { applyMemoryChange } from "./memory/change-memory.ts";
import { undoCompaction } from "./memory/undo-compaction.ts";
import { addMemory, compactTraces, saveSnapshot, undoTraces } from "./memory/store-writes.ts";
import { addRecall } from "./memory/recall-rows.ts";
import { addProgram, addRun, dropProgram } from "./playground/program-rows.ts";
import { keepPolicy } from "./settings/policy-setting.ts";
import { keepModels, settleModels } from "./settings/apply-models.ts";
import { keepSummarizer } from "./settings/summarizer-rows.ts";
import { addToken, addTokenUses, endToken } from "./settings/access-token-rows.ts";

export const WRITES = {
  createSession: addHeldSession,
  addArtifact,
  addOutput,
  addEvents,
  addCompaction,
  undoCompaction,
  changeMemory: applyMemoryChange,
  syncAttached,
  detachFolder,
  addMemory,
  compactTraces,
  saveSnapshot,
  undoTraces,
  closeTurn: addClosedTurn,
  deleteArtifact: addTombstone,
  endArtifacts,
  expireDue,
  retire,
  dropBlob,
  saveRetention: keepRetention,
  saveClock,
  addLineIndex,
  addReads,
  addRecall,
  saveProgram: addProgram,
  deleteProgram: dropProgram,
  addRun,
  savePolicy: keepPolicy,
  saveCalibration: keepCalibration,
  saveModels: keepModels,
  saveSummarizer: keepSummarizer,
  settleModels,
  createToken: addToken,
  revokeToken: endToken,
  noteTokenUses: addTokenUses,
} as const;

export type WriteName = keyof typeof WRITES;
