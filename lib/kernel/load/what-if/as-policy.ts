// What was tried on a session, as an offload policy that settings take. Only the limit has its like there: masking,
// compaction and the like are not decided when an output comes in.
import { ENVELOPE_TOKENS } from "../../artifacts/envelope.ts";
import { policyOf, type OffloadPolicy } from "../../artifacts/offload-presets.ts";
import type { WhatIfPolicy } from "./what-if-types.ts";

/** Outputs over the limit go, whatever the window is and however full: as they did in the replay. */
export function asOffloadPolicy({ offload, envelope }: Pick<WhatIfPolicy, "offload" | "envelope">): OffloadPolicy {
  if (offload === null) return policyOf("off");
  const { chars_per_token } = policyOf();
  return policyOf({
    preset: "plimsoll",
    max_bytes: Math.max(1, Math.round(offload * chars_per_token)),
    context_percentage: null,
    headroom_percentage: 1,
    envelope_style: envelope > ENVELOPE_TOKENS.lean ? "unified" : "lean",
  });
}
