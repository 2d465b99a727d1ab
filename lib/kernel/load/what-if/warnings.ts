// What a person must read before the figures: a policy that saves tokens and costs money, an edit of the cached prefix, a
// wish that could not be followed.
import { clearingRule, type WhatIfInput } from "./what-if-plan.ts";
import type { Replayed } from "./replay.ts";
import type { WhatIfPolicy } from "./what-if-types.ts";
import { exactly } from "../../exactly.ts";

export type Replays = {
  readonly actual: Replayed;
  readonly low: Replayed;
  readonly expected: Replayed;
  readonly high: Replayed;
};

export function warningsOf(input: WhatIfInput, policy: WhatIfPolicy, replays: Replays): string[] {
  return [
    ...ofCache(policy, replays),
    ...ofTokens(policy, replays),
    ...ofCompaction(input, policy, replays),
    ...ofTools(input, policy),
    ...ofUsage(input),
  ];
}

function ofCache(policy: WhatIfPolicy, { actual, expected }: Replays): string[] {
  const { edits, penaltyUsd } = expected;
  const more = difference(expected.outcome.usd, actual.outcome.usd);
  const saved = actual.outcome.promptTokens - expected.outcome.promptTokens;
  const clears = clearingRule(policy) !== null;
  const who = clears ? "Clearing results" : policy.ratio !== null ? "Compacting" : "This policy";
  const breaks = `${who} would break the cache ${times(edits)}`;
  if (more !== null && more >= CENT && saved > 0)
    return edits > 0
      ? [`${breaks} and cost ${dollars(more)} more than it saves.`]
      : [`This policy saves ${exactly(saved)} tokens and costs ${dollars(more)} more.`];
  if (edits === 0 || !clears) return [];
  return penaltyUsd === null || penaltyUsd < CENT
    ? [`${breaks}.`]
    : [`${breaks}, which costs ${dollars(penaltyUsd)} of what it saves.`];
}

function ofTokens({ reread }: WhatIfPolicy, { actual, low, expected, high }: Replays): string[] {
  const more = ({ outcome }: Replayed): number => outcome.promptTokens - actual.outcome.promptTokens;
  if (more(low) > 0) return [`Fewer compactions keep prompts longer: ${exactly(more(low))} more tokens sent.`];
  if (more(expected) > 0)
    return [`With ${Math.round(reread * 100)} % read back, ${exactly(more(expected))} more tokens are sent.`];
  if (more(high) > 0) return [`If everything were read back, ${exactly(more(high))} more tokens would be sent.`];
  return [];
}

function ofCompaction({ loadLine }: WhatIfInput, policy: WhatIfPolicy, { actual, expected }: Replays): string[] {
  if (policy.ratio !== null && loadLine === null)
    return ["Compaction was not simulated: this session's load line is unknown."];
  const more = expected.outcome.compactions - actual.outcome.compactions;
  if (policy.ratio !== null && more > 0)
    return [`It would compact ${times(expected.outcome.compactions)}, ${exactly(more)} more than the agent did.`];
  return [];
}

function ofTools({ schemas }: WhatIfInput, { dropTools }: WhatIfPolicy): string[] {
  return dropTools.flatMap((name) => {
    const schema = schemas.find((one) => one.name === name);
    if (schema === undefined)
      return [`The size of ${name}'s schema is not in this session's file, so it is not subtracted.`];
    if (schema.calls === 0) return [];
    return [`${name} was called ${times(schema.calls)} here; without it, these turns would differ.`];
  });
}

function ofUsage({ ledger: { calls } }: WhatIfInput): string[] {
  const without = calls.filter(({ hasUsage }) => !hasUsage).length;
  if (without === 0) return [];
  if (without === calls.length)
    return ["No call of this session reports its tokens: all figures are estimated, and none has a price."];
  return [
    `${without === 1 ? "1 call reports" : `${exactly(without)} calls report`} no tokens: estimated, and not in the cost.`,
  ];
}

const CENT = 0.005;

const difference = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a - b);
const times = (value: number): string => (value === 1 ? "once" : value === 2 ? "twice" : `${exactly(value)} times`);
const dollars = (value: number): string => `$${value.toFixed(2)}`;
