// Dollars of a session, as every door gives them.
import { z } from "zod";

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
});
export type Cost = z.infer<typeof cost>;
