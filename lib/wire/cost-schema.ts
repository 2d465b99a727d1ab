// Dollars of a session, as every door gives them.
import { z } from "zod";
import { usage } from "./common-schema.ts";

const spend = z.object({
  /** Dollars of the calls that have a price; null when none has. */
  usd: z.number().nullable(),
  calls: z.number(),
  /** Why the true cost is more, a sentence each; empty when `usd` is all of it. */
  atLeast: z.array(z.string()),
});

export const cost = spend.extend({
  /**
   * `list`: reported tokens at list prices. `set`: at prices set in Settings. `counted`: tokens that a tokenizer counted, at
   * list prices. `reported`: dollars that a provider or an agent stated.
   */
  origin: z.enum(["list", "set", "counted", "reported"]),
  /** Of its own calls: those without a price, and those whose output is the count at the start of the stream. */
  unpriced: z.number(),
  placeholders: z.number(),
  /** What is to be known of the prices, a sentence each. */
  notes: z.array(z.string()),
  /** What the calls that a fork or resume copied cost the session that made them; null when it copied none. */
  inherited: spend.nullable(),
  /** What the agent counts itself, beside the calls; null where it says nothing. */
  reported: z
    .object({
      usd: z.number().nullable(),
      usage,
      /** Some of it came over OpenTelemetry. */
      telemetry: z.boolean(),
      /** Those tokens at list price; null when a model has no price. */
      listUsd: z.number().nullable(),
      /** Of that, dollars of each kind of token. */
      list: z.object({
        inputUncached: z.number().nullable(),
        cacheRead: z.number().nullable(),
        cacheWrite: z.number().nullable(),
        output: z.number().nullable(),
      }),
      /** Calls that were there when the agent said so, of the session and of its sub-agents. */
      calls: z.object({ usage, usd: z.number().nullable() }),
      /** Reported by the agent, in no call of the file. Null for a copy: nobody says whether its totals count the original's. */
      beyond: z.object({ usage, usd: z.number().nullable() }).nullable(),
      /** Differences of more than 1 %, a sentence each. */
      differences: z.array(z.string()),
    })
    .nullable(),
});
export type Cost = z.infer<typeof cost>;
