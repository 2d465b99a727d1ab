// Colours for the text viewer: the head of an artifact, up to what is highlighted.
import { z } from "zod";
import { openArtifact } from "#lib/archive/show-artifact.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { highlightNumbered } from "../../../../components/events/highlight-numbered.ts";

export const GET = route({
  params: artifactParams,
  query: z.object({ language: z.string().max(40) }),
  run: async ({ slot, params, query }) => {
    const artifact = await openArtifact(slot.archive, params.pointer);
    // One byte more than is highlighted, so that the cut is noticed and said.
    const end = Math.min(artifact.sizeBytes, LIMITS.highlightBytes + 1);
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of artifact.read({ start: 0, end })) text += decoder.decode(chunk, { stream: true });
    return highlightNumbered(text + decoder.decode(), query.language);
  },
});
