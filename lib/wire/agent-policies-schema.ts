// What can be given to a session's agent, with the measured effect of each.
import { z } from "zod";
import { AGENT_POLICY_KINDS } from "#lib/kernel/load/agent-policies/agent-policy-types.ts";
import { outcome } from "./what-if-schema.ts";

export const policyEffect = z.object({
  actual: outcome,
  predicted: outcome,
  calls: z.number(),
  fullAt: z.object({ actual: z.number().nullable(), predicted: z.number().nullable() }),
});
export type PolicyEffectRow = z.infer<typeof policyEffect>;

export const agentPolicyRow = z.object({
  id: z.string(),
  kind: z.enum(AGENT_POLICY_KINDS),
  title: z.string(),
  where: z.string(),
  text: z.string(),
  reason: z.string(),
  note: z.string().nullable(),
  seqs: z.array(z.number()),
  /** Null: no effect was measured. */
  effect: policyEffect.nullable(),
});
export type AgentPolicyRow = z.infer<typeof agentPolicyRow>;

export const agentPoliciesAnswer = z.object({
  session: z.string(),
  agent: z.string(),
  policies: z.array(agentPolicyRow),
  /** Each effect is of one policy alone: they do not add up. */
  label: z.literal("same turns assumed"),
});
export type AgentPoliciesAnswer = z.infer<typeof agentPoliciesAnswer>;
