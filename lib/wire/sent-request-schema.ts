// A request as an agent sent it: what it asks for, and what is answered.
import { z } from "zod";

export const sentRequestQuery = z.object({ call: z.coerce.number().int().min(1).max(1e9) });
export type SentRequestQuery = z.infer<typeof sentRequestQuery>;

export const sentRequestAnswer = z.object({
  sessionId: z.string(),
  call: z.number(),
  /** The agent's own id of it; null where the file does not say. */
  requestId: z.string().nullable(),
  /** What the agent made it for, in its own words. */
  source: z.string().nullable(),
  /** The body is there, each of its messages proved by a digest. */
  isWhole: z.boolean(),
  /** Why it is not. */
  why: z.string().nullable(),
  messages: z.object({ count: z.number(), proven: z.number() }),
  /** Features that were asked for in the header `anthropic-beta`. */
  betas: z.array(z.string()),
  notInFile: z.string().nullable(),
  body: z.record(z.string(), z.unknown()).nullable(),
});
export type SentRequestAnswer = z.infer<typeof sentRequestAnswer>;
