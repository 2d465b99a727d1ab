// How wrong the estimates are on a person's own sessions, before the provider's numbers put them right.
import { z } from "zod";
import { FAMILIES, ITEM_CLASSES } from "#lib/kernel/load/ledger-types.ts";
import { clearing } from "./ledger-schema.ts";

const errors = z.object({
  /** Σ |error| over Σ |growth|. */
  wape: z.number().nullable(),
  /** Median of |error|, in tokens. */
  median: z.number().nullable(),
});

/** Errors of four ways to estimate, over the same transitions. */
const compared = z.object({
  transitions: z.number(),
  sessions: z.number(),
  charsOver4: errors,
  shipped: errors,
  /** What is in use: the shipped constants, or an earlier fit. */
  current: errors,
  /** Fitted to the other sessions of this archive, never to the one judged; null under two independent sessions. */
  fitted: errors.nullable(),
});
export type Compared = z.infer<typeof compared>;

const weighting = z.object({ perToken: z.number(), base: z.number() });

export const calibrationAnswer = z.object({
  families: z.array(
    compared.extend({
      family: z.enum(FAMILIES),
      models: z.array(z.string()),
      /** Where the constants in use come from. */
      source: z.string(),
      isFitted: z.boolean(),
      /** Transitions that are missing before a fit is made. */
      missing: z.number(),
      perSignatureChar: z.object({ current: z.number(), fitted: z.number().nullable() }),
    }),
  ),
  models: z.array(compared.extend({ family: z.enum(FAMILIES), model: z.string() })),
  /** Transitions in which one class brought four fifths of what was not known. */
  classes: z.array(
    compared.extend({
      family: z.enum(FAMILIES),
      itemClass: z.enum(ITEM_CLASSES),
      constants: weighting,
      fittedConstants: weighting.nullable(),
    }),
  ),
  sessions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      family: z.enum(FAMILIES),
      transitions: z.number(),
      charsOver4: z.number().nullable(),
      current: z.number().nullable(),
      fitted: z.number().nullable(),
    }),
  ),
  /** Where agents cleared old results by themselves: the ledger's tokens for them against what the prompt fell by. */
  clearings: z.array(clearing.omit({ replayed: true }).extend({ sessionId: z.string() })),
  /** Where files hold whole requests: what was charged for them, and what their text was estimated at. */
  overheads: z
    .array(z.object({ model: z.string(), requests: z.number(), charged: z.number(), text: z.number() }))
    .default([]),
  /** Sessions that were looked at, and transitions in all. */
  looked: z.number(),
  transitions: z.number(),
  leastTransitions: z.number(),
});
export type CalibrationAnswer = z.infer<typeof calibrationAnswer>;

/** `fit` keeps constants fitted to this archive, `reset` goes back to the shipped ones, `look` changes nothing. */
export const calibrateRequest = z.strictObject({ do: z.enum(["look", "fit", "reset"]) });
export type CalibrateRequest = z.infer<typeof calibrateRequest>;
