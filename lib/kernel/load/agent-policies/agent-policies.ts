// All that can be given to a session's agent, the largest saving first, what was not measured last.
import { limitPolicies } from "./agent-limits.ts";
import { hookPolicy } from "./hook-suggestion.ts";
import { compactionPolicy } from "./compaction-prompt.ts";
import { instructionPolicies } from "./instruction-lines.ts";
import type { AgentPolicy, PoliciesInput } from "./agent-policy-types.ts";

export function agentPolicies(input: PoliciesInput): AgentPolicy[] {
  const all = [...limitPolicies(input), hookPolicy(input), ...instructionPolicies(input), compactionPolicy(input)];
  return all.filter((policy) => policy !== null).toSorted((a, b) => savedTokens(b) - savedTokens(a));
}

const savedTokens = ({ effect }: AgentPolicy): number =>
  effect === null ? -Infinity : effect.actual.promptTokens - effect.predicted.promptTokens;
