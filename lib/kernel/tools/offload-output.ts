// The steps from what a tool returned to what the model sees: measured after everything that may change it, decided,
// and put into words. Both ways use them: the executor, which waits for a store, and the in-memory one, which does not.
import type { EnvelopeFacts } from "../artifacts/envelope.ts";
import { envelopeOf, isEnvelope } from "../artifacts/envelope.ts";
import type { OffloadDecision } from "../artifacts/offload.ts";
import { decideOffload } from "../artifacts/offload.ts";
import { utf8Size } from "../artifacts/pointer.ts";
import type { OffloadPolicy } from "../artifacts/offload-presets.ts";
import { countChars, previewOf, summaryOf, tailOf } from "../artifacts/preview.ts";
import type { ContentFacts } from "../artifacts/scan.ts";
import { ContentScan } from "../artifacts/scan.ts";
import { truncateOutput } from "../artifacts/truncate.ts";
import type { StoreOutcome } from "./artifact-backend.ts";

/** Why an output stands in the context as it does: one for every output, also for those that were dropped. */
export type DecisionRecord = OffloadDecision & {
  readonly callId: string;
  readonly toolName: string;
  readonly sizeBytes: number;
  readonly chars: number | null;
  readonly status: "ok" | "failed";
  readonly artifactId: string | null;
  readonly pointer: string | null;
};

export type MeasuredOutput = {
  readonly text: string;
  readonly sizeBytes: number;
  readonly chars: number;
  readonly decision: OffloadDecision;
};

export function measureOutput(
  text: string,
  toolName: string,
  situation: Parameters<typeof decideOffload>[1],
): MeasuredOutput {
  const sizeBytes = utf8Size(text);
  const chars = countChars(text);
  const decision = decideOffload({ toolName, sizeBytes, chars, isEnvelope: isEnvelope(text) }, situation);
  return { text, sizeBytes, chars, decision };
}

/** The bytes of a text, and what is to be told about them. */
export function scanText(text: string): { readonly bytes: Uint8Array; readonly facts: ContentFacts } {
  const bytes = new TextEncoder().encode(text);
  const scan = new ContentScan();
  scan.add(bytes);
  return { bytes, facts: scan.end() };
}

/** Characters of the end of an error that its envelope shows: that is where errors say what is wrong. */
const TAIL_CHARS = 200;

export function envelopeText(
  output: { readonly text: string; readonly toolName: string; readonly name: string; readonly isError: boolean },
  facts: ContentFacts,
  stored: StoreOutcome & { readonly status: "stored" },
  policy: OffloadPolicy,
  availableTools: readonly string[],
): string {
  const result: EnvelopeFacts = {
    artifactId: stored.artifactId,
    pointer: stored.pointer,
    toolName: output.toolName,
    name: output.name,
    contentType: facts.contentType,
    sizeBytes: facts.sizeBytes,
    lineCount: facts.lineCount,
    shape: facts.shape,
    preview: previewOf(output.text, policy.preview_chars),
    summary: summaryOf(output.text),
    tail: output.isError ? tailOf(output.text, TAIL_CHARS) : "",
    isError: output.isError,
    availableTools,
    path: stored.path,
    createdAt: stored.createdAt,
    expiresAt: stored.expiresAt,
  };
  return envelopeOf(result, policy.envelope_style);
}

/** The head and the tail of an output, with a notice between them that may say where the rest is. */
export const cutText = (
  { text, toolName, callId }: { readonly text: string; readonly toolName: string; readonly callId: string },
  policy: OffloadPolicy,
  rest: string | null = null,
): string => truncateOutput(text, policy.truncate, { toolName, callId, rest });

export const recordOf = (
  measured: MeasuredOutput,
  of: { readonly callId: string; readonly toolName: string },
  changes: Partial<DecisionRecord> = {},
): DecisionRecord => ({
  ...measured.decision,
  callId: of.callId,
  toolName: of.toolName,
  sizeBytes: measured.sizeBytes,
  chars: measured.chars,
  status: "ok",
  artifactId: null,
  pointer: null,
  ...changes,
});

/** The record of an output that came when nothing of its turn could be written any more. */
export const dropped = (
  measured: MeasuredOutput,
  of: { readonly callId: string; readonly toolName: string },
): DecisionRecord =>
  recordOf(measured, of, {
    action: "drop",
    gate: "late",
    reason: "The output came after its call or turn had ended, so it was not saved.",
  });
