// The write of an output: its events, its decision row, and the artifact that it became.
import { command } from "#db/statement.ts";
import type { OffloadDecision } from "#lib/kernel/artifacts/offload.ts";
import type { Draft } from "#lib/kernel/draft.ts";
import type { OffloadDecisionRow, OutputAnswer } from "#lib/wire/held-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { settleFigures } from "../import/session-stats.ts";
import { SessionWriter } from "../import/session-writer.ts";
import { addBlobRow, contentIdOf, type ArtifactInput } from "./add-artifact.ts";
import { heldSession } from "./held-session.ts";
import { prepareQuota, chargeQuota } from "./quota.ts";
import { isTurnClosed } from "./turns.ts";
import { defineWrite, ofSession } from "../base/write.ts";

export type AddOutputInput = {
  readonly sessionId: string;
  readonly toolName: string;
  readonly toolCallId: string | null;
  /** What the call asked, where the agent says so. */
  readonly input?: unknown;
  readonly turn: number | null;
  readonly isError: boolean;
  readonly decision: OffloadDecision;
  readonly preset: string | null;
  readonly sizeBytes: number;
  readonly chars: number | null;
  readonly recordKey: string;
  /** What the model sees. */
  readonly text: string;
  readonly artifact: ArtifactInput | null;
  /** The first text of what is stored, where the bytes do not come with this. */
  readonly storedText?: string;
  /** Why the bytes could not be stored, or null. */
  readonly failure: string | null;
};

/** Appends the call, if nothing is known of it, and the result; one decision row in any case. */
export function addOutput(archive: Archive, batch: Batch, input: AddOutputInput): OutputAnswer {
  const session = heldSession(archive, input.sessionId);
  // Asked again here: between the decision and this write the turn may have been closed.
  const late = input.decision.action === "drop" || isTurnClosed(archive, input.sessionId, input.turn ?? undefined);
  if (late) {
    const decision = addDecision(archive, batch, session.pk, input, null, lateOf(input.decision));
    return { decision, text: "", artifact: null, seq: null };
  }
  const { artifact } = input;
  if (artifact !== null) {
    addBlobRow(archive, batch, artifact.blob);
    chargeQuota(archive, session.pk, artifact.blob);
  }
  if (input.turn !== null && input.turn > session.turn) session.turn = input.turn;
  const writer = new SessionWriter(archive, batch, session);
  const drafts = draftsOf(archive, session.pk, input, batch.now);
  const result = drafts.at(-1)!;
  const isOffloaded = artifact !== null && input.decision.action === "artifact";
  const output = artifact === null ? null : outputOf(archive, input, artifact, result, session.turn);
  writer.append(drafts, { from: "held", ...(output !== null && { output }) });
  writer.save(batch.now);
  settleFigures(archive, session.pk);
  const seq = session.nextSeq - 1;
  const pointer = artifact?.pointer ?? null;
  const decision = addDecision(archive, batch, session.pk, input, isOffloaded ? pointer : null, input.decision, seq);
  return { decision, text: input.text, artifact: null, seq };
}

/** The stored bytes of a result, and what the session says of the artifact. */
function outputOf(archive: Archive, input: AddOutputInput, artifact: ArtifactInput, draft: Draft, turn: number) {
  const { digest, sizeBytes, lineCount } = artifact.blob;
  const isOffloaded = input.decision.action === "artifact";
  const { pointer, name, toolName, contentType, origin, isError, expiresAt, preview } = artifact;
  return {
    draft,
    blob: { digest, size: sizeBytes, lineCount, ...(isOffloaded && { text: storedTextOf(input) }) },
    says: {
      pointer,
      name,
      toolName,
      contentType,
      origin,
      contentId: contentIdOf(archive, digest),
      turn,
      isError,
      expiresAt,
      preview,
    },
  };
}

/** What is found by search: the words that were stored, not those of the envelope alone. */
function storedTextOf({ artifact, storedText }: AddOutputInput): string {
  const { lineCount, bytes } = artifact!.blob;
  if (lineCount === null) return "";
  return bytes === undefined ? (storedText ?? "") : new TextDecoder().decode(bytes);
}

const lateOf = (decision: OffloadDecision): OffloadDecision =>
  decision.action === "drop"
    ? decision
    : { ...decision, action: "drop", gate: "late", reason: "The turn was closed before the output came." };

function draftsOf(archive: Archive, sessionPk: number, input: AddOutputInput, now: number): Draft[] {
  const base = {
    kind: "event",
    lane: "",
    ts: now,
    recordKey: input.recordKey,
    callKey: null,
    startsTurn: false,
  } as const;
  const { toolCallId, toolName } = input;
  const known =
    toolCallId !== null &&
    command(
      archive.sqlite,
      "SELECT 1 FROM tool_interactions WHERE session_pk = ? AND tool_call_id = ? AND call_seq IS NOT NULL AND result_seq IS NULL",
    ).get(sessionPk, toolCallId) !== undefined;
  const call: Draft = { ...base, body: { type: "tool_call", toolCallId, toolName, input: input.input ?? {} } };
  const result: Draft = {
    ...base,
    body: {
      type: "tool_result",
      toolCallId,
      text: input.text,
      isError: input.isError,
      saw: input.decision.action === "inline" ? "full" : "preview",
      ...(input.decision.action !== "inline" && { offloadedBy: "plimsoll" as const }),
      ...(input.decision.action !== "inline" && { storedBytes: input.sizeBytes }),
    },
  };
  return known ? [result] : [call, result];
}

function addDecision(
  archive: Archive,
  batch: Batch,
  sessionPk: number,
  input: AddOutputInput,
  pointer: string | null,
  decision: OffloadDecision,
  seq: number | null = null,
): OffloadDecisionRow {
  const row = decisionOf(input, pointer, decision, seq, batch.now);
  command(
    archive.sqlite,
    `INSERT INTO offload_decisions (session_pk, seq, tool_call_id, tool_name, size, chars, threshold, gate, action, status, pointer,
       preset, reason, at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
  ).run(
    sessionPk,
    row.seq,
    row.toolCallId,
    row.toolName,
    row.sizeBytes,
    row.chars,
    row.thresholdBytes,
    row.gate,
    row.action,
    row.status,
    row.pointer,
    row.preset,
    row.reason,
    batch.now,
  );
  return row;
}

/** What was decided about an output, and how it went. */
export function decisionOf(
  input: Omit<AddOutputInput, "text" | "artifact">,
  pointer: string | null,
  decision: OffloadDecision,
  seq: number | null,
  now: number,
): OffloadDecisionRow {
  const failed = input.failure !== null;
  return {
    seq,
    toolCallId: input.toolCallId,
    toolName: input.toolName,
    sizeBytes: input.sizeBytes,
    chars: input.chars,
    thresholdBytes: decision.thresholdBytes,
    gate: decision.gate,
    action: failed ? "truncate" : decision.action,
    status: failed ? "failed" : "ok",
    pointer,
    preset: input.preset,
    reason: failed ? `${decision.reason} Storing it failed (${input.failure}), so it was cut.` : decision.reason,
    at: new Date(now).toISOString(),
  };
}

export const addOutputWrite = defineWrite("addOutput", addOutput, {
  prepare: prepareQuota,
  isWhole: true,
  session: ofSession,
});
