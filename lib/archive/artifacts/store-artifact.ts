// Storing on purpose: an agent or a person hands bytes over and is given a pointer. What resolves is durable.
import crypto from "node:crypto";
import { extensionOf } from "#lib/kernel/artifacts/content-type.ts";
import { artifactIdOf } from "#lib/kernel/artifacts/pointer.ts";
import type { OffloadPolicy } from "#lib/kernel/artifacts/offload-presets.ts";
import { previewOf } from "#lib/kernel/artifacts/preview.ts";
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import type { StoredArtifact } from "#lib/wire/held-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { write } from "../base/write.ts";
import type { ArtifactWish } from "./add-artifact.ts";
import type { ArtifactExtras } from "../base/artifact-row.ts";
import { heldSessionId, policyOfSession } from "./held-session.ts";
import { letGo } from "./let-go.ts";
import { blobWish, keep, takeIn, type Content, type Incoming } from "./stage.ts";
import { addArtifactWrite } from "./add-artifact.ts";

export type StoreWish = {
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
  readonly signal?: AbortSignal;
};

/**
 * Stores bytes of any size as an artifact of a session. Fails with `not_found` and `conflict` for a session that is not
 * held, `invalid` when the digest differs, `too_large` over a quota; nothing is kept then.
 */
export async function storeArtifact(archive: Archive, wish: StoreWish, content: Content): Promise<StoredArtifact> {
  const sessionId = heldSessionId(archive, wish.session);
  const incoming = await takeIn(archive, content, wish);
  let isNamed = false;
  try {
    await keep(archive, incoming);
    const one = artifactWish(archive, sessionId, policyOfSession(archive, sessionId), incoming, wish);
    const { createdAt, contentId } = await write(archive, addArtifactWrite, one);
    isNamed = true;
    return storedOf(one, incoming, createdAt, contentId);
  } finally {
    await letGo(archive, incoming, isNamed);
  }
}

// In the order of time, where Node has it (24.16): the index of pointers grows at its end then, and a small put changes a
// fifth of the pages less.
const newUuid = (): string => (crypto.randomUUIDv7 ?? crypto.randomUUID)();

/** What the write of an artifact is asked, of bytes that came in. */
export function artifactWish(
  archive: Archive,
  sessionId: string,
  policy: OffloadPolicy,
  incoming: Incoming,
  wish: StoreWish,
): ArtifactWish {
  const { facts } = incoming;
  const ttl = wish.ttlSeconds ?? policy.ttl_seconds;
  const contentType = wish.contentType ?? facts.contentType;
  const made = `${(wish.toolName ?? "artifact").replace(/[^A-Za-z0-9_-]+/g, "-")}_${wish.toolCallId ?? incoming.digest.slice(0, 8)}`;
  return {
    sessionId,
    pointer: `art:${newUuid()}`,
    blob: blobWish(incoming),
    contentType,
    name: wish.name ?? (wish.toolCallId === undefined ? `${made}.${extensionOf(contentType)}` : made),
    isNamed: wish.name !== undefined,
    toolName: wish.toolName ?? null,
    toolCallId: wish.toolCallId ?? null,
    turn: wish.turn ?? null,
    description: wish.description ?? null,
    origin: wish.origin ?? "manual",
    preview: facts.isText ? previewOf(redactText(facts.head).text, policy.preview_chars, facts.chars ?? undefined) : "",
    isError: false,
    expiresAt: ttl === null ? null : archive.host.now() + ttl * 1000,
  };
}

/** The answer that an agent or a page gets. */
export function storedOf(
  wish: ArtifactWish,
  incoming: Incoming,
  createdAt: number,
  contentId: string | null,
): StoredArtifact {
  const artifactId = contentId ?? artifactIdOf(wish.blob.digest);
  return {
    pointer: wish.pointer,
    id: artifactId,
    artifactId,
    digest: wish.blob.digest,
    name: wish.name,
    sessionId: wish.sessionId,
    seq: null,
    toolName: wish.toolName,
    toolCallId: wish.toolCallId,
    contentType: wish.contentType,
    sizeBytes: wish.blob.sizeBytes,
    lineCount: wish.blob.lineCount,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: wish.expiresAt === null ? null : new Date(wish.expiresAt).toISOString(),
    origin: wish.origin,
    isError: wish.isError,
    state: "live",
    deletedAt: null,
    preview: wish.preview,
    shape: incoming.facts.shape,
  };
}
