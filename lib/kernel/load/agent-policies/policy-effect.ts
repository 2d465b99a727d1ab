// The effect of one policy: the what-if replay of it, beside the replay of what was.
import { NO_POLICY, type WhatIfPolicy } from "../what-if/what-if-types.ts";
import { whatIf, type WhatIfInput } from "../what-if/what-if.ts";
import type { PolicyEffect } from "./agent-policy-types.ts";

/** Null where nothing would have been smaller. */
export function effectOf(input: WhatIfInput, policy: Partial<WhatIfPolicy>): PolicyEffect | null {
  const { actual, expected, calls } = whatIf(input, { ...NO_POLICY, ...policy });
  const smaller = calls.filter((call) => call.predicted < call.actual).length;
  if (smaller === 0) return null;
  const { loadLine } = input;
  const firstAt = (field: "actual" | "predicted"): number | null =>
    loadLine === null ? null : (calls.find((call) => call[field] >= loadLine)?.call ?? null);
  return {
    actual,
    predicted: expected,
    calls: smaller,
    fullAt: { actual: firstAt("actual"), predicted: firstAt("predicted") },
  };
}
