// The write of an output: its events, its decision row, and the artifact that it became.
import type { OffloadDecision } from "#lib/kernel/artifacts/offload.ts";
import type { Draft } from "#lib/kernel/draft.ts";
import type { OffloadDecisionRow, OutputAnswer } from "#lib/wire/held-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { settleFigures } from "../import/session-stats.ts";
import { prepared } from "../base/statement-cache.ts";
import { SessionWriter } from "../import/session-writer.ts";
import { addBlobRow, contentIdOf, type ArtifactWish } from "./add-artifact.ts";
import { heldSession } from "./held-session.ts";
import { prepareQuota, chargeQuota } from "./quota.ts";
import { isTurnClosed } from "./turns.ts";
import { defineWrite } from "../base/write.ts";

export type AddOutputWish = {
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
  readonly artifact: ArtifactWish | null;
  /** The first text of what is stored, where the bytes do not come with this. */
  readonly storedText?: string;
  /** Why the bytes could not be stored, or null. */
  readonly failure: string | null;
};

/** Appends the call, if nothing is known of it, and the result; one decision row in any case. */
export function addOutput(archive: Archive, batch: Batch, wish: AddOutputWish): OutputAnswer {
  const session = heldSession(archive, wish.sessionId);
  // Asked again here: between the decision and this write the turn may have been closed.
  const late = wish.decision.action === "drop" || isTurnClosed(archive, wish.sessionId, wish.turn ?? undefined);
  if (late) {
    const decision = addDecision(archive, batch, session.pk, wish, null, lateOf(wish.decision));
    return { decision, text: "", artifact: null, seq: null };
  }
  const { artifact } = wish;
  if (artifact !== null) {
    addBlobRow(archive, batch, artifact.blob);
    chargeQuota(archive, session.pk, artifact.blob);
  }
  if (wish.turn !== null && wish.turn > session.turn) session.turn = wish.turn;
  const writer = new SessionWriter(archive, batch, session);
  const drafts = draftsOf(archive, session.pk, wish, batch.now);
  const result = drafts.at(-1)!;
  const isOffloaded = artifact !== null && wish.decision.action === "artifact";
  const output = artifact === null ? null : outputOf(archive, wish, artifact, result, session.turn);
  writer.append(drafts, { from: "held", ...(output !== null && { output }) });
  writer.save(batch.now);
  settleFigures(archive, session.pk);
  const seq = session.nextSeq - 1;
  const pointer = artifact?.pointer ?? null;
  const decision = addDecision(archive, batch, session.pk, wish, isOffloaded ? pointer : null, wish.decision, seq);
  return { decision, text: wish.text, artifact: null, seq };
}

/** The stored bytes of a result, and what the session says of the artifact. */
function outputOf(archive: Archive, wish: AddOutputWish, artifact: ArtifactWish, draft: Draft, turn: number) {
  const { digest, sizeBytes, lineCount } = artifact.blob;
  const isOffloaded = wish.decision.action === "artifact";
  const { pointer, name, toolName, contentType, origin, isError, expiresAt, preview } = artifact;
  return {
    draft,
    blob: { digest, size: sizeBytes, lineCount, ...(isOffloaded && { text: storedTextOf(wish) }) },
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
function storedTextOf({ artifact, storedText }: AddOutputWish): string {
  const { lineCount, bytes } = artifact!.blob;
  if (lineCount === null) return "";
  return bytes === undefined ? (storedText ?? "") : new TextDecoder().decode(bytes);
}

const lateOf = (decision: OffloadDecision): OffloadDecision =>
  decision.action === "drop"
    ? decision
    : { ...decision, action: "drop", gate: "late", reason: "The turn took no more writes when the output came." };

function draftsOf(archive: Archive, sessionPk: number, wish: AddOutputWish, now: number): Draft[] {
  const base = {
    kind: "event",
    lane: "",
    ts: now,
    recordKey: wish.recordKey,
    callKey: null,
    startsTurn: false,
  } as const;
  const { toolCallId, toolName } = wish;
  const known =
    toolCallId !== null &&
    prepared(
      archive.sqlite,
      "SELECT 1 FROM tool_interactions WHERE session_pk = ? AND tool_call_id = ? AND call_seq IS NOT NULL AND result_seq IS NULL",
    ).get(sessionPk, toolCallId) !== undefined;
  const call: Draft = { ...base, body: { type: "tool_call", toolCallId, toolName, input: wish.input ?? {} } };
  const result: Draft = {
    ...base,
    body: {
      type: "tool_result",
      toolCallId,
      text: wish.text,
      isError: wish.isError,
      saw: wish.decision.action === "inline" ? "full" : "preview",
      ...(wish.decision.action !== "inline" && { offloadedBy: "plimsoll" as const }),
      ...(wish.decision.action !== "inline" && { storedBytes: wish.sizeBytes }),
    },
  };
  return known ? [result] : [call, result];
}

function addDecision(
  archive: Archive,
  batch: Batch,
  sessionPk: number,
  wish: AddOutputWish,
  pointer: string | null,
  decision: OffloadDecision,
  seq: number | null = null,
): OffloadDecisionRow {
  const row = decisionOf(wish, pointer, decision, seq, batch.now);
  prepared(
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
  wish: Omit<AddOutputWish, "text" | "artifact">,
  pointer: string | null,
  decision: OffloadDecision,
  seq: number | null,
  now: number,
): OffloadDecisionRow {
  const failed = wish.failure !== null;
  return {
    seq,
    toolCallId: wish.toolCallId,
    toolName: wish.toolName,
    sizeBytes: wish.sizeBytes,
    chars: wish.chars,
    thresholdBytes: decision.thresholdBytes,
    gate: decision.gate,
    action: failed ? "truncate" : decision.action,
    status: failed ? "failed" : "ok",
    pointer,
    preset: wish.preset,
    reason: failed ? `${decision.reason} Storing it failed (${wish.failure}), so it was cut.` : decision.reason,
    at: new Date(now).toISOString(),
  };
}

export const addOutputWrite = defineWrite("addOutput", addOutput, { prepare: prepareQuota });
