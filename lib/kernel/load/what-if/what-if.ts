// What another policy would have made of a session: the replay of what was, of the policy, and of the policy when nothing and
// when everything that it stores is read back.
import { planOf, planOfNothing, type WhatIfInput } from "./what-if-plan.ts";
import { replay, type Replayed } from "./replay.ts";
import type { WhatIf, WhatIfPolicy } from "./what-if-types.ts";
import { warningsOf } from "./warnings.ts";

export type { WhatIfInput } from "./what-if-plan.ts";

export function whatIf(input: WhatIfInput, policy: WhatIfPolicy): WhatIf {
  const plan = planOf(input, policy);
  const actual = replay(input, planOfNothing(input.ledger));
  const expected = replay(input, plan);
  const at = (reread: number): Replayed =>
    reread === policy.reread || expected.offloaded === 0 ? expected : replay(input, { ...plan, reread });
  const low = at(0);
  const high = at(1);
  return {
    policy,
    actual: actual.outcome,
    low: low.outcome,
    expected: expected.outcome,
    high: high.outcome,
    calls: input.ledger.calls.map(({ call }, k) => ({
      call,
      actual: Math.round(actual.prompts[k]!),
      predicted: Math.round(expected.prompts[k]!),
    })),
    warnings: warningsOf(input, policy, { actual, low, expected, high }),
    cachePenaltyUsd: expected.penaltyUsd,
  };
}
