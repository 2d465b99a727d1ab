// The history of one artifact: how it came to be stored, which model calls carried it, who read it back.
import { z } from "zod";
import { PRESET_NAMES } from "#lib/kernel/artifacts/offload-presets.ts";
import { origin } from "./common-schema.ts";
import { offloadDecisionRow } from "./held-schema.ts";

/** A text and what it weighs. */
const weight = z.object({ bytes: z.number(), tokens: z.number(), origin });

export const artifactLineage = z.object({
  /** The call and its result, as events of the session. */
  callSeq: z.number().nullable(),
  seq: z.number(),
  /** First and last model call that was sent the result, and how many were; null and 0 when none was. */
  enteredAt: z.number().nullable(),
  lastCall: z.number().nullable(),
  callsResident: z.number(),
  /** Model calls that are recorded of the session. */
  calls: z.number(),
  /** It left before its session ended, and no record says so: the prompts do. */
  leftSilently: z.boolean(),
  /** The compaction that took it out of the context; null while it stays, and where it left silently. */
  endedBy: z
    .object({
      seq: z.number(),
      how: z.enum(["compacted", "cleared", "rewound"]),
      tokensBefore: z.number().nullable(),
      tokensAfter: z.number().nullable(),
    })
    .nullable(),
  /** What stood in the context: all of it, an envelope, or a text that was cut. */
  saw: z.enum(["full", "envelope", "preview"]),
  /** What the model saw, at most 4,096 characters of it; null where it saw all. */
  text: z.string().nullable(),
  seen: weight,
  /** What the stored bytes would have weighed. */
  whole: weight,
});
export type ArtifactLineage = z.infer<typeof artifactLineage>;

export const boundName = z.object({
  name: z.string(),
  pointer: z.string(),
  boundAt: z.string(),
  /** The name leads here now. */
  isCurrent: z.boolean(),
  /** This artifact, or another one that had the name. */
  isThis: z.boolean(),
});
export type BoundName = z.infer<typeof boundName>;

export const presetVerdict = z.object({
  preset: z.enum(PRESET_NAMES),
  action: z.enum(["inline", "artifact", "truncate", "drop"]),
  gate: z.string(),
  thresholdBytes: z.number().nullable(),
  reason: z.string(),
});
export type PresetVerdict = z.infer<typeof presetVerdict>;

export const artifactReadRow = z.object({
  at: z.string(),
  who: z.string(),
  tool: z.string(),
  /** What was asked, as JSON of at most 1 KB. */
  request: z.string(),
  bytes: z.number(),
  isError: z.boolean(),
});

export const artifactReads = z.object({
  total: z.number(),
  bytes: z.number(),
  errors: z.number(),
  /** The newest 100. */
  rows: z.array(artifactReadRow),
  /** Later calls of its session that name it, at most 50, in order. */
  calls: z.array(
    z.object({
      seq: z.number(),
      resultSeq: z.number().nullable(),
      toolName: z.string(),
      input: z.string(),
      tokens: z.number().nullable(),
      origin: origin.nullable(),
    }),
  ),
});
export type ArtifactReads = z.infer<typeof artifactReads>;

export const artifactHistory = z.object({
  /** Null for what no event of a session names: it was stored on purpose. */
  lineage: artifactLineage.nullable(),
  names: z.array(boundName),
  /** Null where none was made: the output was imported, or stored on purpose. */
  decision: offloadDecisionRow.nullable(),
  /** What each preset would do with the same output at the same position. */
  presets: z.array(presetVerdict),
  reads: artifactReads,
});
export type ArtifactHistory = z.infer<typeof artifactHistory>;
