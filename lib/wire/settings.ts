// What a person sets in the settings: the archive's default policy, and what each preset would have done here.
import { z } from "zod";
import { offloadPolicy, PRESET_NAMES } from "#lib/kernel/artifacts/policy.ts";

/** A preset's name, or a preset with changes; null goes back to the default. The policy itself names what is wrong in it. */
export const policyRequest = z
  .object({ policy: z.union([z.string().max(40), z.record(z.string(), z.unknown()), z.null()]) })
  .strict();
export type PolicyRequest = z.infer<typeof policyRequest>;

export const policyAnswer = z.object({
  policy: offloadPolicy,
  /** Fields that differ from the preset. */
  changed: z.array(z.string()),
  /** A person has chosen it. */
  isSet: z.boolean(),
});
export type PolicyAnswer = z.infer<typeof policyAnswer>;

export const presetsAnswer = z.object({
  /** Tool outputs that were looked at, and whether older ones were left out. */
  outputs: z.number(),
  sessions: z.number(),
  isCapped: z.boolean(),
  bytes: z.number(),
  presets: z.array(
    z.object({
      preset: z.enum(PRESET_NAMES),
      policy: offloadPolicy,
      offloaded: z.number(),
      offloadedBytes: z.number(),
      /** Estimated tokens that these outputs would have left out of the context, each counted once. */
      tokensSaved: z.number(),
    }),
  ),
});
export type PresetsAnswer = z.infer<typeof presetsAnswer>;
