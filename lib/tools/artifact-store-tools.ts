// Storing on purpose: a text that the context need not hold.
import { z } from "zod";
import { storeArtifact as store } from "#lib/archive/artifacts/store-artifact.ts";
import type { StoredArtifact } from "#lib/wire/held-schema.ts";
import { defineTool, refusal, type ToolContext } from "./define-tool.ts";

const name = z.string().min(1).max(1000).describe("A name by which it can be read back");
const value = z.string().describe("The text to store; JSON as text");
const contentType = z.string().max(200).optional().describe("Its content type, for example application/json");
/** A preview of a session's policy may be long. */
const MAX_BYTES = 64 * 1024;

export const artifactStore = defineTool({
  name: "artifact_store",
  title: "Store an artifact",
  description: "Stores a text outside the conversation under a name, and returns a short pointer to it.",
  writes: true,
  maxBytes: MAX_BYTES,
  also: { contentType: "content_type" },
  input: z.strictObject({
    name,
    value,
    content_type: contentType,
    description: z.string().max(500).optional().describe("What it is, in a sentence"),
  }),
  run: (context, { content_type, ...input }) =>
    stored(context, "artifact_store", { ...input, contentType: content_type }, (one) => ({
      pointer: one.pointer,
      artifact_id: one.artifactId,
      preview: one.preview,
      sizeBytes: one.sizeBytes,
      name: one.name,
    })),
});

export const storeArtifact = defineTool({
  name: "storeArtifact",
  title: "Store an artifact",
  aliasOf: "artifact_store",
  description: "Stores a large value outside the conversation, and returns a short pointer to it.",
  writes: true,
  maxBytes: MAX_BYTES,
  also: { content_type: "contentType" },
  input: z.strictObject({ name, value, contentType }),
  run: (context, input) =>
    stored(context, "storeArtifact", input, (one) => ({
      pointer: one.pointer,
      preview: one.preview,
      sizeBytes: one.sizeBytes,
      name: one.name,
    })),
});

type Params = {
  readonly name: string;
  readonly value: string;
  readonly contentType?: string | undefined;
  readonly description?: string | undefined;
};

async function stored(
  { archive, session }: ToolContext,
  tool: string,
  input: Params,
  tell: (one: StoredArtifact) => object,
) {
  if (session === null) return refusal(`${tool}: an artifact is stored in a session; say which`);
  const one = await store(
    archive,
    {
      session,
      name: input.name,
      origin: "manual",
      ...(input.contentType !== undefined && { contentType: input.contentType }),
      ...(input.description !== undefined && { description: input.description }),
    },
    Buffer.from(input.value),
  );
  return { text: JSON.stringify(tell(one)), isError: false };
}
