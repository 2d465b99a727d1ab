// What a person sets in the settings: the archive's default policy, what each preset would have done here, and the windows
// and prices of models.
import { z } from "zod";
import { offloadPolicy, PRESET_NAMES } from "#lib/kernel/artifacts/offload-presets.ts";
import { modelOverride, modelOverrides } from "#lib/kernel/load/overrides.ts";

/**
 * A preset's name, or a preset with changes; null goes back to the default. The policy itself names what is wrong in it. `seen`: the
 * policy that whoever saves it was shown. Where it is another by now nothing is saved (409).
 */
export const policyRequest = z
  .object({
    policy: z.union([z.string().max(40), z.record(z.string(), z.unknown()), z.null()]),
    seen: offloadPolicy.optional(),
  })
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

/**
 * All that is to be set; what is not named is taken back. `seen`: the list that whoever saves it was shown. Where it is another by now
 * nothing is saved (409).
 */
export const modelsRequest = z.object({ overrides: modelOverrides, seen: modelOverrides.optional() }).strict();

/** A number with who says so; null where nobody does. `derived`: the table has none, and it follows from the input price. */
const sourced = z.object({ value: z.number().nullable(), from: z.enum(["settings", "table", "derived"]).nullable() });
export type Sourced = z.infer<typeof sourced>;

/** Load lines of sessions that were found in one way. */
const lines = z.object({
  by: z.enum(["settings", "observed", "reported", "version", "table", "larger"]),
  sessions: z.number(),
  low: z.number(),
  high: z.number(),
});
export type ModelLines = z.infer<typeof lines>;

export const modelRow = z.object({
  model: z.string(),
  /** Sessions that called it, and their calls, those without usage among them: as usage counts them. */
  sessions: z.number(),
  calls: z.number(),
  /** Dollars of the calls that have a price, and how many have none. */
  usd: z.number().nullable(),
  unpriced: z.number(),
  /** Why their true cost is more, in sentences; empty where it is not. */
  atLeast: z.array(z.string()),
  /** Outside of the projects that have a number of their own. */
  window: sourced,
  /** Dollars a million tokens, now and for a short prompt. */
  rates: z.object({ uncached: sourced, read: sourced, write: sourced, write1h: sourced, output: sourced }),
  /** The table asks more for long prompts. */
  isTiered: z.boolean(),
  /** Where the load lines of its sessions come from; most sessions first. */
  lines: z.array(lines),
});
export type ModelRow = z.infer<typeof modelRow>;

export const modelsAnswer = z.object({
  /** As they were set, each with the sessions that it fits. */
  overrides: z.array(z.object({ override: modelOverride, sessions: z.number() })),
  /** By cost, then by calls. */
  models: z.array(modelRow),
  /** Sessions whose figures are still to be looked at after the last change. */
  left: z.number(),
});
export type ModelsAnswer = z.infer<typeof modelsAnswer>;
