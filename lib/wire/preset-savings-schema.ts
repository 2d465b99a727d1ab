// Savings of each preset over all sessions, and the progress of the replay.
import { z } from "zod";
import { PRESET_NAMES } from "#lib/kernel/artifacts/offload-presets.ts";

const saved = z.object({
  /** Σ prompt tokens that would not have been sent; below zero when more would have been. */
  tokens: z.number(),
  /** $ of input, over the sessions that have a price; null without one. */
  usd: z.number().nullable(),
});

export const presetSavings = z.object({
  /** Imported sessions with model calls, each replayed; forks count what they share once. */
  sessions: z.number(),
  /** Of these, the ones whose calls all have a price. */
  priced: z.number(),
  /** Sessions that came to their load line, or were compacted because of it. */
  full: z.number(),
  promptTokens: z.number(),
  /** Of these: those that no provider reported, which usage does not count. */
  unreportedTokens: z.number(),
  usd: z.number().nullable(),
  presets: z.array(
    z.object({
      preset: z.enum(PRESET_NAMES),
      /** Outputs that would have been stored. */
      offloaded: z.number(),
      /** When nothing is read back, and when half of what is stored is. */
      saved,
      savedHalfRead: saved,
      /** Of the sessions that were full: those that would not have been, when nothing is read back. */
      staysUnder: z.number(),
    }),
  ),
  label: z.literal("same turns assumed"),
});
export type PresetSavings = z.infer<typeof presetSavings>;

/** `begin` goes over the sessions that changed since; `cancel` stops it, what was replayed is kept. */
export const presetSavingsRequest = z.strictObject({ do: z.enum(["begin", "cancel"]) });
export type PresetSavingsRequest = z.infer<typeof presetSavingsRequest>;

export const presetSavingsRun = z.object({
  /** Sessions; null until the work had its turn. */
  running: z.object({ done: z.number().nullable(), total: z.number().nullable() }).nullable(),
  answer: presetSavings.nullable(),
  /** Sessions came or changed since the answer was made. */
  isStale: z.boolean(),
  /** How the last work ended, when it did not end well. */
  ended: z.object({ how: z.enum(["cancelled", "failed"]), reason: z.string() }).nullable(),
});
export type PresetSavingsRun = z.infer<typeof presetSavingsRun>;
