// A session in one line: what `plimsoll statusline` prints, and what a page shows of a session that runs.
import { z } from "zod";
import { budgetRow } from "./budgets-schema.ts";

export const sessionStatus = z.object({
  id: z.string(),
  title: z.string(),
  model: z.string().nullable(),
  /** The prompt of its last call that reported one, against the load line. */
  load: z.object({
    tokens: z.number().nullable(),
    origin: z.enum(["reported", "counted"]),
    line: z.number().nullable(),
    /** Of the load line, 0 to 1 and beyond. */
    share: z.number().nullable(),
    call: z.number().nullable(),
  }),
  /** How much the context grew with each of its last calls, since a compaction if there was one; null with one call. */
  growth: z.object({ tokensPerCall: z.number(), calls: z.number() }).nullable(),
  /** Calls until the load line at that growth; null where it does not grow or there is no line. */
  callsLeft: z.number().nullable(),
  /** What brought the most tokens in with the last calls, as the ledger weighs it; null until that is known. */
  fastest: z.object({ label: z.string(), tokens: z.number(), calls: z.number(), call: z.number() }).nullable(),
  /** Dollars of its own calls. `isLeast`: calls without a price, or without their usage, are not among it. */
  cost: z.object({ usd: z.number().nullable(), isLeast: z.boolean() }),
  /** The same of all sessions since midnight, by the clock of the machine that answers. */
  day: z.object({ usd: z.number().nullable(), isLeast: z.boolean() }),
  /** When the provider drops what it cached; null where nothing is cached. */
  cache: z.object({ expiresAt: z.iso.datetime() }).nullable(),
  /** The budget nearest to its end that the session counts for, from 80 % of it on. */
  budget: budgetRow.nullable(),
  /** Share of the load line from which a person wants to be warned; null where nobody set one. */
  warnAt: z.number().nullable(),
});
export type SessionStatus = z.infer<typeof sessionStatus>;

export const statusQuery = z.object({ session: z.string().min(1).max(400).optional() });

export const warnSetting = z.strictObject({ warnAt: z.number().min(0.1).max(1).nullable() });
export type WarnSetting = z.infer<typeof warnSetting>;
