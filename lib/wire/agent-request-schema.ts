// The next request of an agent whose session Plimsoll holds: what its model is sent, compacted first where that was due.
import { z } from "zod";
import { origin } from "./common-schema.ts";
import { RENDERERS } from "./memory-schema.ts";

export const agentRequestQuery = z.strictObject({ as: z.enum(RENDERERS).default("openai-chat") });
export type AgentRequestQuery = z.infer<typeof agentRequestQuery>;

export const agentRequest = z.object({
  sessionId: z.string(),
  as: z.enum(RENDERERS),
  /** The last event of the context. */
  at: z.number(),
  /** To be given back with the records of the answer: a count of an older epoch asks for no compaction. */
  epoch: z.number(),
  tokens: z.number(),
  origin,
  /** The provider's request: its messages, and a system text where the provider wants it apart. */
  request: z.unknown(),
  leftOut: z.array(z.object({ what: z.string(), why: z.string(), count: z.number() })),
  didCompact: z.boolean(),
  /** How the compaction ended that was due; null when none was. One that failed leaves the context as it was. */
  compaction: z
    .object({
      status: z.enum(["complete", "nothing_to_compact", "failed"]),
      trigger: z.string(),
      id: z.string().nullable(),
      reason: z.string().nullable(),
      tokensBefore: z.number().nullable(),
      tokensAfter: z.number().nullable(),
    })
    .nullable(),
  /** Tokens that a prompt may have, and above which the next request is compacted; null: automatic compaction is off. */
  budget: z.object({ inputTokens: z.number(), triggerTokens: z.number() }).nullable(),
});
export type AgentRequest = z.infer<typeof agentRequest>;
