// Storing on purpose: an agent or a person hands bytes over and is given a pointer. What resolves is durable.
import crypto from "node:crypto";
import { contentPreview } from "#lib/kernel/artifacts/content-envelope.ts";
import { extensionOf } from "#lib/kernel/artifacts/content-type.ts";
import { artifactIdOf } from "#lib/kernel/artifacts/pointer.ts";
import type { OffloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";
import type { StoredArtifact } from "#lib/wire/held-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { write } from "../base/write.ts";
import type { ArtifactInput } from "./add-artifact.ts";
import type { ArtifactExtras } from "../base/artifact-row.ts";
import { heldSessionId, policyOfSession } from "./held-session.ts";
import { releaseClaim } from "./release-claim.ts";
import { blobInput, keep, ingestContent, type Content, type Incoming } from "./stage.ts";
import { addArtifactWrite } from "./add-artifact.ts";

export type StoreInput = {
  /** Id of a session that Plimsoll holds, or the beginning of one. */
  readonly session: string;
  readonly name?: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly turn?: number;
  readonly contentType?: string;
  readonly description?: string;
  readonly ttlSeconds?: number;
  /** What the bytes must hash to. */
  readonly digest?: string;
  readonly origin?: ArtifactExtras["origin"];
  /** What it was named before it came here. */
  readonly pointer?: string;
  readonly signal?: AbortSignal;
};

/**
 * Stores bytes of any size as an artifact of a session. Fails with `not_found` and `conflict` for a session that is not
 * held, `invalid` when the digest differs, `too_large` over a quota; nothing is kept then.
 */
export async function storeArtifact(archive: Archive, input: StoreInput, content: Content): Promise<StoredArtifact> {
  const sessionId = heldSessionId(archive, input.session);
  const incoming = await ingestContent(archive, content, input);
  let isNamed = false;
  try {
    await keep(archive, incoming);
    const one = artifactInput(archive, sessionId, policyOfSession(archive, sessionId), incoming, input);
    const { createdAt, contentId } = await write(archive, addArtifactWrite, one);
    isNamed = true;
    return storedOf(one, incoming, createdAt, contentId);
  } finally {
    await releaseClaim(archive, incoming, isNamed);
  }
}

// In the order of time, where Node has it (24.16): the index of pointers grows at its end then, and a small put changes a
// fifth of the pages less.
const newUuid = (): string => (crypto.randomUUIDv7 ?? crypto.randomUUID)();

/** What the write of an artifact is asked, of bytes that came in. */
export function artifactInput(
  archive: Archive,
  sessionId: string,
  policy: OffloadPolicy,
  incoming: Incoming,
  input: StoreInput,
): ArtifactInput {
  const { facts } = incoming;
  const ttl = input.ttlSeconds ?? policy.ttl_seconds;
  const contentType = input.contentType ?? facts.contentType;
  const made = `${(input.toolName ?? "artifact").replace(/[^A-Za-z0-9_-]+/g, "-")}_${input.toolCallId ?? incoming.digest.slice(0, 8)}`;
  return {
    sessionId,
    pointer: input.pointer ?? `art:${newUuid()}`,
    blob: blobInput(incoming),
    contentType,
    name: input.name ?? (input.toolCallId === undefined ? `${made}.${extensionOf(contentType)}` : made),
    isNamed: input.name !== undefined,
    toolName: input.toolName ?? null,
    toolCallId: input.toolCallId ?? null,
    turn: input.turn ?? null,
    description: input.description ?? null,
    origin: input.origin ?? "manual",
    preview: contentPreview(facts, policy),
    isError: false,
    expiresAt: ttl === null ? null : archive.host.now() + ttl * 1000,
  };
}

/** The answer that an agent or a page gets. */
export function storedOf(
  input: ArtifactInput,
  incoming: Incoming,
  createdAt: number,
  contentId: string | null,
): StoredArtifact {
  const artifactId = contentId ?? artifactIdOf(input.blob.digest);
  return {
    pointer: input.pointer,
    id: artifactId,
    artifactId,
    digest: input.blob.digest,
    name: input.name,
    sessionId: input.sessionId,
    seq: null,
    toolName: input.toolName,
    toolCallId: input.toolCallId,
    contentType: input.contentType,
    sizeBytes: input.blob.sizeBytes,
    lineCount: input.blob.lineCount,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: input.expiresAt === null ? null : new Date(input.expiresAt).toISOString(),
    origin: input.origin,
    isError: input.isError,
    state: "live",
    deletedAt: null,
    preview: input.preview,
    shape: incoming.facts.shape,
  };
}
