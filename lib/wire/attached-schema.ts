// Memory folders of agents that run: shown as sessions, and compacted for real when a person asks.
import { z } from "zod";

export const attachRequest = z.strictObject({ path: z.string().min(1).max(4096) });

const attached = z.object({
  sessionId: z.string(),
  nativeId: z.string(),
  path: z.string(),
  /** Which Autobyteus wrote it; null when nothing tells. */
  generation: z.union([z.literal(1), z.literal(2)]).nullable(),
  /** Why it is only read; null when it may be compacted. */
  refuses: z.string().nullable(),
  events: z.number(),
  attachedAt: z.string(),
  readAt: z.string(),
});

export const attachedAnswer = attached.extend({
  /** False when it was attached before: then it was looked at again. */
  created: z.boolean(),
  /** Events that came with this look. */
  added: z.number(),
  warnings: z.array(z.string()),
});
export type AttachedAnswer = z.infer<typeof attachedAnswer>;

export const detachedAnswer = z.object({ sessionId: z.string(), path: z.string() });
export type DetachedAnswer = z.infer<typeof detachedAnswer>;

export const attachedList = z.object({ attached: z.array(attached) });
export type AttachedList = z.infer<typeof attachedList>;
