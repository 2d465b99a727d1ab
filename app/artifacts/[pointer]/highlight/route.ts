// Colours for the text viewer: the head of an artifact, up to what is highlighted.
import { z } from "zod";
import { openArtifact } from "#lib/archive/sessions/show-artifact.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { highlightNumbered } from "#components/events/highlight-numbered.ts";

export const GET = route({
  params: artifactParams,
  query: z.object({ language: z.string().max(40) }),
  run: async ({ slot, params, query }) => {
    const artifact = await openArtifact(slot.archive, params.pointer);
    const end = Math.min(artifact.sizeBytes, LIMITS.highlightBytes);
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of artifact.read({ start: 0, end })) text += decoder.decode(chunk, { stream: true });
    text += decoder.decode();
    if (end === artifact.sizeBytes) return highlightNumbered(text, query.language);
    // The last line that came is only a part: it stays plain, as everything after it.
    const answer = await highlightNumbered(text.slice(0, text.lastIndexOf("\n")), query.language);
    return { ...answer, cutAtBytes: end };
  },
});
