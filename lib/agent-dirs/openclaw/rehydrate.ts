// Puts the content of an artifact back into a message. By the reference in `details` alone, its id and its digest, inside
// one artifacts folder: a path in a reference is not followed, and nothing is read out of a placeholder's text.
import { fail } from "#lib/kernel/errors.ts";
import { artifactRef } from "./artifact.ts";
import { readArtifact } from "./tool-payloads.ts";

export type RehydrateOptions = { readonly artifactsDir: string };

/** The content that a reference stands for. */
export async function rehydrate(ref: unknown, { artifactsDir }: RehydrateOptions): Promise<unknown> {
  const parsed = artifactRef.safeParse(ref);
  if (!parsed.success) fail("invalid", "Not an artifact reference. Give an id and a digest.");
  return readArtifact(artifactsDir, parsed.data.id, parsed.data.hash);
}

type Message = { readonly details?: unknown; readonly content?: unknown };

/** A tool result with its content back. Its call id, error flag and details stay; a message without a reference is returned as it is. */
export async function rehydrateMessage<T extends Message>(message: T, options: RehydrateOptions): Promise<T> {
  const ref = (message.details as { artifactRef?: unknown } | null | undefined)?.artifactRef;
  return ref === undefined ? message : { ...message, content: await rehydrate(ref, options) };
}
