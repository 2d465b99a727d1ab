// What a tool returned in a session that Plimsoll holds: the decision, the event, and the text for the model. Nothing here
// throws into an agent's loop for a disk that failed: the model then gets both ends of the output and a notice.
import { randomUUID } from "node:crypto";
import { contentEnvelope } from "#lib/kernel/artifacts/content-envelope.ts";
import { isEnvelope } from "#lib/kernel/artifacts/envelope.ts";
import { decideOffload } from "#lib/kernel/artifacts/offload.ts";
import type { OffloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";
import { artifactIdOf } from "#lib/kernel/artifacts/pointer.ts";
import { truncateOutput } from "#lib/kernel/artifacts/truncate.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { OutputAnswer } from "#lib/wire/held-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { wholeLines } from "./stored-text.ts";
import { write } from "../base/write.ts";
import { contentIdOf, type ArtifactInput } from "./add-artifact.ts";
import { decisionOf, addOutputWrite } from "./add-output.ts";
import { heldSessionId, policyOfSession } from "./held-session.ts";
import { releaseClaim } from "./release-claim.ts";
import { isStorageFailure, keep, ingestContent, type Content, type Incoming } from "./stage.ts";
import { artifactInput, storedOf } from "./store-artifact.ts";
import { isTurnClosed } from "./turns.ts";

/** The tools that read an artifact back; an agent that does not say which it has, has them all. */
const ALL_TOOLS = ["artifact_read", "artifact_grep", "artifact_jq"] as const;

export type OutputInput = {
  readonly session: string;
  readonly toolName: string;
  readonly toolCallId?: string;
  /** What the call asked: the transcript shows it, and finds by it which calls read an artifact back. */
  readonly input?: unknown;
  readonly turn?: number;
  readonly contentType?: string;
  readonly isError: boolean;
  readonly usedInputTokens?: number;
  readonly availableTools?: readonly string[];
  /** What the bytes must hash to. */
  readonly digest?: string;
  /** By what it was decided already, and the pointer that the model was given: the session's own policy is not asked. */
  readonly decided?: { readonly policy: OffloadPolicy; readonly pointer: string };
  readonly signal?: AbortSignal;
};

/** Decides about an output, keeps it as decided, and says what the model is to see. */
export async function recordOutput(archive: Archive, input: OutputInput, content: Content): Promise<OutputAnswer> {
  const sessionId = heldSessionId(archive, input.session);
  const incoming = await ingestContent(archive, content, input);
  let isNamed = false;
  try {
    const { answer, stored } = await decideAndKeep(archive, input, sessionId, incoming);
    isNamed = stored;
    return answer;
  } finally {
    await releaseClaim(archive, incoming, isNamed);
  }
}

async function decideAndKeep(
  archive: Archive,
  input: OutputInput,
  sessionId: string,
  incoming: Incoming,
): Promise<{ answer: OutputAnswer; stored: boolean }> {
  const policy = input.decided?.policy ?? policyOfSession(archive, sessionId);
  const { facts } = incoming;
  const availableTools = input.availableTools ?? ALL_TOOLS;
  const small = incoming.bytes === null ? null : new TextDecoder().decode(incoming.bytes);
  const decision = decideOffload(
    {
      toolName: input.toolName,
      sizeBytes: facts.sizeBytes,
      chars: facts.chars,
      isEnvelope: small !== null && isEnvelope(small),
    },
    {
      policy,
      availableTools,
      usedInputTokens: input.usedInputTokens ?? null,
      writesClosed: isTurnClosed(archive, sessionId, input.turn),
    },
  );
  const request = {
    sessionId,
    toolName: input.toolName,
    toolCallId: input.toolCallId ?? null,
    ...(input.input !== undefined && { input: input.input }),
    turn: input.turn ?? null,
    isError: input.isError,
    decision,
    preset: policy.preset ?? null,
    sizeBytes: facts.sizeBytes,
    chars: facts.chars,
    recordKey: `held:${randomUUID()}`,
  };
  const bare = async (text: string, failure: unknown = null): Promise<{ answer: OutputAnswer; stored: boolean }> => {
    const one = { ...request, text, artifact: null, failure: failure === null ? null : why(failure) };
    try {
      return { answer: await write(archive, addOutputWrite, one), stored: false };
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      // Not even a row can be written: the agent goes on with its text, and only this answer tells of it.
      const decision = decisionOf(
        { ...one, failure: why(failure ?? error) },
        null,
        request.decision,
        null,
        archive.host.now(),
      );
      return { answer: { decision, text, artifact: null, seq: null }, stored: false };
    }
  };
  if (decision.action === "drop") return bare("");
  if (decision.action === "truncate") return bare(truncated(incoming, policy, null));
  if (decision.action === "inline" && small !== null) return bare(small);
  try {
    await keep(archive, incoming);
    const artifact: ArtifactInput = {
      ...artifactInput(archive, sessionId, policy, incoming, { ...input, origin: "auto" }),
      ...(input.decided !== undefined && { pointer: input.decided.pointer }),
      isError: input.isError,
    };
    // A large output that stays inline is stored beside, as an imported one is.
    const text =
      decision.action === "inline"
        ? await textOf(archive, incoming.digest)
        : envelope(archive, artifact, incoming, policy, availableTools);
    const isHeld =
      decision.action === "inline" || artifact.blob.bytes !== undefined || artifact.blob.lineCount === null;
    const storedText = isHeld ? undefined : wholeLines(new TextDecoder().decode(incoming.ends.head), true);
    const output = { ...request, text, artifact, failure: null, ...(storedText !== undefined && { storedText }) };
    const answer = await write(archive, addOutputWrite, output);
    // Late after all: nothing of it was written.
    if (answer.seq === null) return { answer, stored: false };
    if (decision.action === "inline") return { answer, stored: true };
    const contentId = contentIdOf(archive, incoming.digest);
    const stored = { ...storedOf(artifact, incoming, Date.parse(answer.decision.at), contentId), seq: answer.seq };
    return { answer: { ...answer, artifact: stored }, stored: true };
  } catch (error) {
    // What was decided is kept by who asks: it is stored when the disk has room again.
    const isFinal = isRefused(error) || (isStorageFailure(error) && input.decided === undefined);
    if (!isFinal) throw error;
    return bare(truncated(incoming, policy, error), error);
  }
}

/** A quota is no reason to break an agent's loop either, nor bytes that a sweep took in the moment when they were stored. */
const isRefused = (error: unknown): boolean =>
  isAppError(error) && !error.isPassing && (error.code === "too_large" || error.code === "conflict");

function envelope(
  archive: Archive,
  artifact: ArtifactInput,
  { facts, digest }: Incoming,
  policy: OffloadPolicy,
  availableTools: readonly string[],
): string {
  return contentEnvelope(
    facts,
    {
      artifactId: contentIdOf(archive, digest) ?? artifactIdOf(digest),
      pointer: artifact.pointer,
      toolName: artifact.toolName ?? "tool",
      name: artifact.name,
      contentType: artifact.contentType,
      isError: artifact.isError,
      availableTools,
      createdAt: new Date(archive.host.now()).toISOString(),
      expiresAt: artifact.expiresAt === null ? null : new Date(artifact.expiresAt).toISOString(),
    },
    policy,
  );
}

/** Both ends of an output, and between them what is missing and, where storing failed, why. */
function truncated({ facts, bytes, ends }: Incoming, policy: OffloadPolicy, failure: unknown): string {
  const decoder = new TextDecoder();
  const whole = bytes ?? (facts.sizeBytes <= ends.head.length ? ends.head : null);
  const text = whole === null ? `${decoder.decode(ends.head)}\n${decoder.decode(ends.tail)}` : decoder.decode(whole);
  const rest =
    failure === null
      ? null
      : `Storing the full output failed (${why(failure)}). Run the tool again with a narrower question`;
  const { sizeBytes, lineCount } = facts;
  return truncateOutput(text, policy.truncate, { rest, whole: { sizeBytes, lineCount } });
}

const why = (failure: unknown): string =>
  failure instanceof Error ? ((failure as { code?: string }).code ?? failure.message) : String(failure);

async function textOf(archive: Archive, digest: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of archive.blobs.read(digest)) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
