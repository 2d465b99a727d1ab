// `POST /api/sessions/{id}/compactions/own`: the summary of a dry run beside the one that the agent wrote itself, each with its
// tokens and with what it keeps by the metric of docs/evidence-metric.md.
import { z } from "zod";
import { origin } from "./common-schema.ts";

/** Shares from 0 to 1; null where there was nothing to keep. */
const share = z.number().nullable();

export const evidenceScores = z.object({
  /** Names that the agent wrote again after the cut: those that stand in the summary, … */
  entity: share,
  /** … those that stand there among words that they stood among before, … */
  contexted: share,
  /** … and of those that only tool outputs had said, the ones that are kept. */
  fromOutputs: share,
  filesModified: share,
  userMessages: share,
  commands: share,
  errors: share,
  /** How many such names there were. */
  needed: z.number(),
});
export type EvidenceScores = z.infer<typeof evidenceScores>;

const side = z.object({
  text: z.string(),
  tokens: z.number(),
  origin,
  /** Null where the log is too long to be judged. */
  evidence: evidenceScores.nullable(),
});

export const ownComparison = z.object({
  /** The agent's compaction; null where it has none whose summary can be read. */
  own: side
    .extend({
      /** Its event. */
      seq: z.number(),
      /** A compaction at this event is of the same context: that of the last call before. */
      at: z.number(),
      trigger: z.string().nullable(),
    })
    .nullable(),
  whyNone: z.string().nullable(),
  /** The dry run; null where there is nothing to compact. */
  ours: side.extend({ at: z.number(), turnsWhole: z.number() }).nullable(),
  /** Both are of the same context. */
  isSameCut: z.boolean(),
});
export type OwnComparison = z.infer<typeof ownComparison>;
