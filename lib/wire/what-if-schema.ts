// A replay under another policy: what is asked and what is answered, the same over HTTP and on the command line.
import { z } from "zod";
import { cost } from "./cost-schema.ts";

const tokens = z.coerce.number().int().min(0).max(10_000_000);
const share = z.coerce.number().min(0).max(1);

export const whatIfRequest = z.object({
  /** Tool results over so many tokens become an envelope. */
  offload: tokens.nullable().default(null),
  envelope: tokens.default(250),
  reread: share.default(0),
  /** Only the newest K results stay whole. */
  mask: z.coerce.number().int().min(0).max(100_000).nullable().default(null),
  hysteresis: tokens.default(0),
  /** Old results are cleared when the prompt comes to so many tokens … */
  trigger: tokens.nullable().default(null),
  /** … the oldest first, until so many are free … */
  free: tokens.nullable().default(null),
  /** … never those of these tools … */
  keepTools: z.array(z.string().max(200)).max(500).default([]),
  /** … and not before this call. */
  fromCall: z.coerce.number().int().min(1).max(10_000_000).default(1),
  dropTools: z.array(z.string().max(200)).max(500).default([]),
  dedupe: z.boolean().default(false),
  ratio: z.coerce.number().min(0.05).max(1).nullable().default(null),
  tail: z.coerce.number().int().min(0).max(1000).default(2),
  summary: tokens.default(4000),
});
export type WhatIfRequest = z.infer<typeof whatIfRequest>;

/** The same in a query string: what is left out or empty is null, `dropTools` and `keepTools` may be given more than once. */
export const whatIfQuery = z.preprocess(
  (request) =>
    Object.fromEntries(
      Object.entries(request as Record<string, unknown>)
        .filter(([, value]) => value !== "")
        .map(([name, value]) => [
          name,
          name === "dropTools" || name === "keepTools" ? [value].flat() : name === "dedupe" ? flagOf(value) : value,
        ]),
    ),
  whatIfRequest,
);

const flagOf = (value: unknown): unknown =>
  value === "1" || value === "true" ? true : value === "0" || value === "false" ? false : value;

export const outcome = z.object({
  promptTokens: z.number(),
  peak: z.number(),
  usd: z.number().nullable(),
  compactions: z.number(),
});

export const whatIfAnswer = z.object({
  policy: whatIfRequest,
  actual: outcome,
  predicted: z.object({ low: outcome, expected: outcome, high: outcome }),
  calls: z.array(z.object({ call: z.number(), actual: z.number(), predicted: z.number() })),
  warnings: z.array(z.string()),
  cachePenaltyUsd: z.number().nullable(),
  /** What the session cost. Outcomes are in dollars of its own calls' input. */
  cost,
  /** What holds for every prediction. */
  label: z.literal("same turns assumed"),
});
export type WhatIfAnswer = z.infer<typeof whatIfAnswer>;
