// Requests as an agent sent them: what is asked for, and what is answered.
import { z } from "zod";

/** One request: by the number of its call, or by its own id. */
export const sentRequestQuery = z
  .object({
    call: z.coerce.number().int().min(1).max(1e9).optional(),
    request: z.string().min(1).max(200).optional(),
  })
  .refine(({ call, request }) => (call === undefined) !== (request === undefined), {
    error: "Give one of call (a number) and request (an id).",
  });
export type SentRequestQuery = z.infer<typeof sentRequestQuery>;

/** What the agent made it for, by its own word for it (`source`). */
export const requestPurpose = z.enum(["conversation", "sub-agent", "compaction", "other"]).nullable();
/** Messages that it had, and those whose text the file's digests prove. */
const messages = z.object({ count: z.number(), proven: z.number() });

export const sentRequestAnswer = z.object({
  sessionId: z.string(),
  /** The call that it was answered with; null where no call of the file is its answer. */
  call: z.number().nullable(),
  /** The agent's own id of it; null where the file does not say. */
  requestId: z.string().nullable(),
  /** The event of its record. */
  seq: z.number().nullable(),
  /** What the agent made it for, in its own words. */
  source: z.string().nullable(),
  purpose: requestPurpose,
  /** The body is there, each of its messages proved by a digest. */
  isWhole: z.boolean(),
  /** The file's digest of the whole request is that of the body; null where it has none. */
  isProven: z.boolean().nullable(),
  /** Why it is not whole. */
  why: z.string().nullable(),
  messages,
  /** Features that were asked for in the header `anthropic-beta`. */
  betas: z.array(z.string()),
  notInFile: z.string().nullable(),
  body: z.record(z.string(), z.unknown()).nullable(),
});
export type SentRequestAnswer = z.infer<typeof sentRequestAnswer>;

export const requestsQuery = z.object({
  /** The event from which on. */
  from: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  /** `no`: only those that are the request of no call. */
  answered: z.enum(["any", "no"]).default("any"),
});
export type RequestsQuery = z.infer<typeof requestsQuery>;

const requestRow = z.object({
  requestId: z.string(),
  /** The event of its record. */
  seq: z.number(),
  ts: z.string().nullable(),
  model: z.string().nullable(),
  source: z.string().nullable(),
  purpose: requestPurpose,
  call: z.number().nullable(),
  messages,
  /** Why it cannot be shown whole, as far as its parts say. */
  why: z.string().nullable(),
});
export type RequestRow = z.infer<typeof requestRow>;

export const requestsAnswer = z.object({
  sessionId: z.string(),
  /** All that the file holds, and those of no call. */
  total: z.number(),
  unanswered: z.number(),
  /** In the order of the file. */
  requests: z.array(requestRow),
  /** `from` of the next page. */
  next: z.number().nullable(),
  /** Full compactions of the agent, each with its own request; null where the file does not hold that. */
  compactions: z.array(
    z.object({ seq: z.number(), requestId: z.string().nullable(), requestSeq: z.number().nullable() }),
  ),
  /**
   * What the agent's own totals have beyond its calls, where a compaction's request is not in the file: what that one took is
   * among it. Null where the agent keeps no totals.
   */
  beyond: z.object({ tokens: z.number(), usd: z.number().nullable() }).nullable(),
  why: z.string().nullable(),
});
export type RequestsAnswer = z.infer<typeof requestsAnswer>;
