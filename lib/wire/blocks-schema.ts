// Five-hour blocks with burn rate and projection, and the limits of a plan. Names of fields are those of ccusage's JSON.
import { z } from "zod";

export const blocksQuery = z.object({
  /** The last so many days. */
  days: z.coerce.number().int().min(1).max(3650).default(30),
  agent: z.string().max(200).optional(),
});
export type BlocksRequest = z.infer<typeof blocksQuery>;

export const planLimit = z.object({
  agent: z.string(),
  plan: z.string().nullable(),
  windowMinutes: z.number().nullable(),
  /** Of the window, when it was stated. */
  usedShare: z.number(),
  resetsAt: z.string().nullable(),
  /** The window has ended since: its share is no longer true. */
  isOver: z.boolean(),
  minutesLeft: z.number().nullable(),
  statedAt: z.string().nullable(),
  /** The session whose file states it. */
  session: z.string(),
});
export type PlanLimit = z.infer<typeof planLimit>;

const block = z.object({
  id: z.string(),
  startTime: z.string(),
  endTime: z.string(),
  /** Of its last call. */
  actualEndTime: z.string(),
  isActive: z.boolean(),
  /** Model calls. */
  entries: z.number(),
  tokenCounts: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheCreationInputTokens: z.number(),
    cacheReadInputTokens: z.number(),
  }),
  totalTokens: z.number(),
  costUSD: z.number(),
  /** The true cost is more. */
  isPartial: z.boolean(),
  models: z.array(z.string()),
  /** From its first call to its last; null within a minute. */
  burnRate: z.object({ tokensPerMinute: z.number(), costPerHour: z.number() }).nullable(),
  /** Of the active block, when it goes on like that. */
  projection: z.object({ totalTokens: z.number(), totalCost: z.number(), remainingMinutes: z.number() }).nullable(),
});
export type UsageBlock = z.infer<typeof block>;

export const blocksAnswer = z.object({ blocks: z.array(block), limits: z.array(planLimit) });
export type BlocksAnswer = z.infer<typeof blocksAnswer>;
