// Carries out the decision about one output: as it is, stored behind an envelope, or cut. When it cannot be stored it
// is cut with a notice: a pointer is never shown without bytes behind it.
import { LIMITS } from "../limits.ts";
import type { OffloadPolicy } from "../artifacts/offload-presets.ts";
import { summaryOf } from "../artifacts/preview.ts";
import type { ArtifactBackend, OutputToStore, StoreOutcome } from "./artifact-backend.ts";
import type { DecisionRecord, MeasuredOutput } from "./offload-output.ts";
import { cutText, dropped, envelopeText, measureOutput, recordOf, scanText } from "./offload-output.ts";

export type KeptOutput = {
  readonly content: string;
  readonly summary: string;
  readonly decision: DecisionRecord;
};

export type OutputOfCall = {
  readonly text: string;
  readonly isError: boolean;
  readonly callId: string;
  readonly toolName: string;
};

export type Keeping = {
  readonly artifacts: ArtifactBackend;
  readonly policy: OffloadPolicy;
  readonly availableTools: readonly string[];
  readonly usedInputTokens: number | null;
  readonly after: (ms: number, f: () => void) => () => void;
  /** Whether the turn takes writes; asked again in the moment of writing. */
  readonly isOpen: () => boolean;
};

export async function keepOutput(output: OutputOfCall, keeping: Keeping): Promise<KeptOutput> {
  const { policy, availableTools, isOpen } = keeping;
  const measured = measureOutput(output.text, output.toolName, { ...keeping, writesClosed: !isOpen() });
  if (!isOpen()) return { content: "", summary: "", decision: dropped(measured, output) };
  const { action } = measured.decision;
  if (action === "inline") return { content: output.text, summary: "", decision: recordOf(measured, output) };
  if (action === "truncate")
    return { content: cutText(output, policy), summary: "", decision: recordOf(measured, output) };

  const { bytes, facts } = scanText(output.text);
  const name = `${output.toolName}_${output.callId}`;
  const { text, toolName, callId } = output;
  const item = { text, bytes, name, toolName, callId, facts, previewChars: policy.preview_chars };
  const stored = await storeInTime({ ...item, ttlSeconds: policy.ttl_seconds }, keeping);
  if (stored.status === "failed") return notStored(stored.reason, measured, output, keeping);
  return {
    content: envelopeText({ ...output, name }, facts, stored, policy, availableTools),
    summary: summaryOf(output.text),
    decision: recordOf(measured, output, { artifactId: stored.artifactId, pointer: stored.pointer }),
  };
}

/** Of a store's reason, in the notice that the model sees. */
const REASON_CHARS = 200;

function notStored(reason: string, measured: MeasuredOutput, output: OutputOfCall, keeping: Keeping): KeptOutput {
  if (!keeping.isOpen()) return { content: "", summary: "", decision: dropped(measured, output) };
  const why = `${measured.decision.reason.replace(/\.$/, "")}, but storing it failed (${reason}), so it is cut.`;
  return {
    content: cutText(output, keeping.policy, `The full output was not stored: ${reason.slice(0, REASON_CHARS)}`),
    summary: "",
    decision: recordOf(measured, output, { action: "truncate", status: "failed", reason: why }),
  };
}

/** Stores, or says why not. A backend that does not answer is left behind, and may not commit any more. */
function storeInTime(item: OutputToStore, { artifacts, after, isOpen }: Keeping): Promise<StoreOutcome> {
  return new Promise((resolve) => {
    let isLeft = false;
    const leave = (reason: string): void => {
      isLeft = true;
      cancel();
      resolve({ status: "failed", reason });
    };
    const cancel = after(LIMITS.toolStoreMs, () => leave(`no answer within ${LIMITS.toolStoreMs / 1000} s`));
    Promise.resolve()
      .then(() => artifacts.store(item, () => !isLeft && isOpen()))
      .then(
        (stored) => {
          cancel();
          resolve(stored);
        },
        (error: unknown) => leave(error instanceof Error ? error.message : "the store failed"),
      );
  });
}
