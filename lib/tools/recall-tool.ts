// The stored outputs of a session that a question needs most.
import { z } from "zod";
import { recall } from "#lib/archive/memory/recall-session.ts";
import { defineTool } from "./define-tool.ts";
import { sessionOf, sessionRef } from "./session-ref.ts";

export const recallTool = defineTool({
  name: "recall",
  title: "Recall stored outputs",
  description:
    "Finds the stored outputs of a session that a question needs most, each with a line about it; artifact_read, artifact_grep and artifact_jq read them.",
  maxBytes: 64 * 1024,
  input: z.strictObject({
    session: sessionRef,
    query: z.string().min(1).max(4000),
    limit: z.int().min(1).max(50).default(8),
  }),
  output: z.object({
    session: z.string(),
    items: z.array(
      z.object({
        artifact_id: z.string(),
        pointer: z.string(),
        score: z.number(),
        summary: z.string(),
        line: z.number().nullable(),
      }),
    ),
    omitted: z.number(),
  }),
  async run(context, { session, query, limit }) {
    const id = await sessionOf(context, session);
    const { items, text, omitted } = await recall(context.archive, id, { query, k: limit });
    const rest = omitted > 0 ? `\n[${omitted} more did not fit]` : "";
    return {
      text: items.length === 0 ? "No stored output of this session is near that." : `${text}${rest}`,
      isError: false,
      structured: {
        session: id,
        items: items.map(({ artifactId, pointer, score, summary, line }) => ({
          artifact_id: artifactId,
          pointer,
          score,
          summary,
          line,
        })),
        omitted,
      },
    };
  },
});
