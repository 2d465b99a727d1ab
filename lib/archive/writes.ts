// Every write by its name: what the thread that writes looks up when another thread asks for it.
import { fail } from "#lib/kernel/errors.ts";
import { defineWrite, type AnyWrite } from "./base/write.ts";
import { replayHeld, type ReplayInput } from "./base/replay-held.ts";
import { dropHeldWrite } from "./artifacts/drop-held.ts";
import { fillSearchWrite } from "./artifacts/fill-search.ts";
import { createSessionWrite } from "./artifacts/held-session.ts";
import { addArtifactWrite } from "./artifacts/add-artifact.ts";
import { addOutputWrite } from "./artifacts/add-output.ts";
import { addEventsWrite } from "./memory/add-events.ts";
import { addCompactionWrite } from "./memory/add-compaction.ts";
import { noteCompactionOutcomeWrite } from "./memory/gate-rows.ts";
import { undoCompactionWrite } from "./memory/undo-compaction.ts";
import { changeMemoryWrite } from "./memory/change-memory.ts";
import { syncAttachedWrite, detachFolderWrite } from "./memory/sync-directory.ts";
import { saveSnapshotWrite } from "./memory/snapshot-rows.ts";
import { addMemoryWrite, compactTracesWrite } from "./memory/store-writes.ts";
import { closeTurnWrite } from "./artifacts/turns.ts";
import {
  deleteArtifactWrite,
  endArtifactsWrite,
  expireDueWrite,
  retireWrite,
  dropBlobWrite,
} from "./artifacts/tombstone.ts";
import { putBesideWrite } from "./import/keep-memory.ts";
import { saveArchivedWrite } from "./sources/archived-option.ts";
import { addContinuationWrite, dropContinuationWrite, takeBackWrite } from "./handover/handover-rows.ts";
import { removeSessionWrite } from "./sources/remove-session.ts";
import { saveRetentionWrite } from "./settings/retention-setting.ts";
import { saveClockWrite } from "./base/clock-guard.ts";
import { addLineIndexWrite, addReadsWrite } from "./artifacts/reading-rows.ts";
import { addRecallWrite } from "./memory/recall-rows.ts";
import { saveProgramWrite, deleteProgramWrite, addRunWrite } from "./playground/program-rows.ts";
import { savePolicyWrite } from "./settings/policy-setting.ts";
import { dropSearchWrite, saveSearchWrite, setMarkWrite } from "./settings/mark-rows.ts";
import { saveBudgetWrite } from "./settings/budget-setting.ts";
import { queueBudgetNoticesWrite } from "./load/budget-notices.ts";
import { saveWarnAtWrite } from "./settings/warn-setting.ts";
import { saveCalibrationWrite } from "./load/calibrated.ts";
import { markFindingWrite } from "./load/list-findings.ts";
import { notePricesWrite, saveModelsWrite, settleModelsWrite, settleSessionsWrite } from "./settings/apply-models.ts";
import { endFollowingWrite, followModelsWrite } from "./load/followed-models.ts";
import { saveSendingWrite } from "./settings/sending-row.ts";
import { saveSummarizerWrite } from "./settings/summarizer-rows.ts";
import { dropTracesWrite, noteTelemetryWrite } from "./import/telemetry-sessions.ts";
import { saveIdempotencyKeyWrite } from "./settings/idempotency-rows.ts";
import { createTokenWrite, revokeTokenWrite, noteTokenUsesWrite } from "./settings/access-token-rows.ts";
import {
  expireDeliveriesWrite,
  noteAttemptWrite,
  queueNoticesWrite,
  queueTestWrite,
} from "./settings/webhook-queue.ts";
import { addWebhookWrite, changeWebhookWrite, removeWebhookWrite } from "./settings/webhook-rows.ts";

/** Of a fleet: docs/decisions/0048-fleet.md. */
export const replayHeldWrite = defineWrite(
  "replayHeld",
  (archive, batch, input: ReplayInput) => replayHeld(archive, batch, input, writeNamed),
  { prepare: (archive) => WRITES.forEach(({ name, prepare }) => name !== "replayHeld" && prepare?.(archive)) },
);

const WRITES: readonly AnyWrite[] = [
  replayHeldWrite,
  dropHeldWrite,
  createSessionWrite,
  addArtifactWrite,
  addOutputWrite,
  addEventsWrite,
  addCompactionWrite,
  noteCompactionOutcomeWrite,
  undoCompactionWrite,
  changeMemoryWrite,
  syncAttachedWrite,
  detachFolderWrite,
  addMemoryWrite,
  compactTracesWrite,
  saveSnapshotWrite,
  closeTurnWrite,
  deleteArtifactWrite,
  endArtifactsWrite,
  expireDueWrite,
  retireWrite,
  dropBlobWrite,
  fillSearchWrite,
  saveRetentionWrite,
  saveWarnAtWrite,
  saveBudgetWrite,
  queueBudgetNoticesWrite,
  setMarkWrite,
  putBesideWrite,
  saveSearchWrite,
  dropSearchWrite,
  saveArchivedWrite,
  removeSessionWrite,
  addContinuationWrite,
  dropContinuationWrite,
  takeBackWrite,
  saveClockWrite,
  addLineIndexWrite,
  addReadsWrite,
  addRecallWrite,
  saveProgramWrite,
  deleteProgramWrite,
  addRunWrite,
  savePolicyWrite,
  saveCalibrationWrite,
  markFindingWrite,
  notePricesWrite,
  saveModelsWrite,
  settleSessionsWrite,
  followModelsWrite,
  endFollowingWrite,
  saveSendingWrite,
  saveSummarizerWrite,
  settleModelsWrite,
  dropTracesWrite,
  noteTelemetryWrite,
  createTokenWrite,
  revokeTokenWrite,
  noteTokenUsesWrite,
  saveIdempotencyKeyWrite,
  addWebhookWrite,
  changeWebhookWrite,
  removeWebhookWrite,
  queueNoticesWrite,
  queueTestWrite,
  noteAttemptWrite,
  expireDeliveriesWrite,
];

const byName = new Map(WRITES.map((write) => [write.name, write]));

/** The write of a name; an unknown one is refused. */
export const writeNamed = (name: string): AnyWrite =>
  byName.get(name) ?? fail("unsupported", `No write named "${name}".`);
