// Recall, as doors and the command line give it.
import { z } from "zod";

const seq = z.coerce.number().int().min(1);

export const recallQuery = z.object({
  query: z.string().min(1).max(4000),
  at: seq.optional(),
  k: z.coerce.number().int().min(1).max(100).default(8),
  maxChars: z.coerce.number().int().min(100).max(100_000).default(2000),
});

export const recallAnswer = z.object({
  items: z.array(
    z.object({
      artifactId: z.string(),
      pointer: z.string(),
      score: z.number(),
      summary: z.string(),
      /** Where a word of the question stands in the stored text, when its beginning does not have it. */
      line: z.number().nullable().default(null),
    }),
  ),
  chars: z.number(),
  omitted: z.number(),
  text: z.string(),
});
export type RecallAnswer = z.infer<typeof recallAnswer>;

/** Recalls that the command line did on its own, for the server to note. */
export const recallNotes = z.strictObject({
  recalls: z
    .array(
      z.strictObject({
        sessionId: z.string().max(100),
        run: z.strictObject({
          turn: z.number().int().nullable(),
          at: z.number().int().nullable(),
          query: z.string().max(4000),
          budget: z.strictObject({ maxItems: z.number(), maxChars: z.number(), narrativeMaxChars: z.number() }),
          items: z
            .array(
              z.strictObject({
                artifactId: z.string().max(100),
                pointer: z.string().max(100),
                score: z.number(),
                summary: z.string().max(1000).optional(),
              }),
            )
            .max(100),
          chars: z.number().int(),
          omitted: z.number().int(),
          createdAt: z.number(),
        }),
      }),
    )
    .max(100),
});
