// The load of a session, model call by model call. What the provider reported is the sum; what
// the events weigh is counted or estimated beside it, and the rest is shown as not explained.
import { z } from "zod";
import { category, origin } from "./common-schema.ts";

export const loadCall = z.object({
  call: z.number(),
  /** First event of its answer: the prompt is what lies before. */
  seq: z.number(),
  ts: z.string().nullable(),
  turn: z.number(),
  epoch: z.number(),
  model: z.string().nullable(),
  /** Prompt tokens; `origin` says how they are known. */
  prompt: z.number(),
  origin,
  uncached: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** Part of cacheWrite: written for one hour. */
  cacheWrite1h: z.number(),
  webSearches: z.number(),
  output: z.number(),
  outputLowerBound: z.boolean(),
  inherited: z.boolean(),
  /** Tokens by category in stacking order (CATEGORIES); they sum to `prompt`. `unattributed` may be negative. */
  stack: z.array(z.number()),
  /** 1 where the category holds estimated numbers, in the same order. */
  estimated: z.array(z.number()),
  /** The largest items that entered since the previous call. */
  entered: z.array(z.object({ seq: z.number(), category, label: z.string(), tokens: z.number(), origin })),
  /** Why the cache was lost here, if it was. */
  cacheBreak: z.boolean(),
});
export type LoadCall = z.infer<typeof loadCall>;

export const loadAnswer = z.object({
  calls: z.array(loadCall),
  window: z.object({ tokens: z.number().nullable(), origin: z.string().nullable() }),
  loadLine: z.object({ tokens: z.number().nullable(), origin: z.string().nullable() }),
  compactions: z.array(
    z.object({
      seq: z.number(),
      /** The last call before it; 0 when none. */
      afterCall: z.number(),
      kind: z.enum(["full", "micro"]),
      trigger: z.string().nullable(),
      tokensBefore: z.number().nullable(),
      tokensAfter: z.number().nullable(),
    }),
  ),
  /** Where the conversation went on from an earlier prompt; `afterCall` as above. */
  rewinds: z.array(z.object({ seq: z.number(), afterCall: z.number() })),
  turns: z.array(z.object({ turn: z.number(), seq: z.number(), call: z.number(), title: z.string() })),
  jumps: z.array(z.object({ call: z.number(), tokens: z.number(), seq: z.number().nullable(), label: z.string() })),
  /** Tokens that totals name but no call carries. */
  lost: z.number(),
  /** Background counting still has events of this session to do. */
  counting: z.boolean(),
  version: z.string(),
});
export type LoadAnswer = z.infer<typeof loadAnswer>;
