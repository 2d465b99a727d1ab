// What could be given to the agent of a session, from its own culprits.
import { select } from "#db/statement.ts";
import { agentPolicies } from "#lib/kernel/load/agent-policies/agent-policies.ts";
import { rankCulprits } from "#lib/kernel/load/culprits/rank.ts";
import { sessionState } from "#lib/kernel/load/session-state.ts";
import type { AgentPoliciesAnswer } from "#lib/wire/agent-policies-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { remembered } from "../base/session-rows.ts";
import { countedFactsOf, loadFactsOf, type LoadFacts } from "./load-facts.ts";
import { turnStartsOf } from "./replay-session.ts";

/** `counted`: texts that are not counted yet are, before the answer is given. */
export async function policiesOf(
  archive: Archive,
  name: string,
  { counted = false }: { readonly counted?: boolean } = {},
): Promise<AgentPoliciesAnswer> {
  const pk = findSession(archive, name);
  if (counted) return answerOf(archive, pk, await countedFactsOf(archive, pk));
  return remembered(archive, "agent-policies", pk, async () => answerOf(archive, pk, await loadFactsOf(archive, pk)));
}

function answerOf(archive: Archive, pk: number, facts: LoadFacts): AgentPoliciesAnswer {
  const { format, id, cwd } = facts.session;
  const { agent_name: agent } = select(archive.sqlite, "sessions", ["agent_name"], "WHERE pk = ?").get(pk)!;
  const policies = agentPolicies({
    ...facts,
    format,
    cwd,
    turnStarts: turnStartsOf(archive, pk),
    culprits: rankCulprits(facts).culprits,
    bytes: new Map(facts.events.map(({ seq, bytes }) => [seq, bytes])),
    isFull: sessionState(facts).state !== "fine",
  });
  return {
    session: id,
    agent: agent ?? format,
    policies: policies.map((policy) => ({ ...policy, seqs: [...policy.seqs] })),
    label: "same turns assumed",
  };
}
