// What can be given to an agent so that the next session does not fill as this one did. Texts are copied by a person; nothing is
// written. Each effect is of the what-if replay, and null where a replay cannot tell.
import type { Culprit, SessionLoadFacts } from "../culprits/culprit-types.ts";
import type { WhatIfInput } from "../what-if/what-if.ts";
import type { Outcome } from "../what-if/what-if-types.ts";

export const AGENT_POLICY_KINDS = ["limit", "hook", "instructions", "compaction"] as const;
export type AgentPolicyKind = (typeof AGENT_POLICY_KINDS)[number];

export type PolicyEffect = {
  readonly actual: Outcome;
  readonly predicted: Outcome;
  /** Calls whose prompt would have been smaller. */
  readonly calls: number;
  /** The first call at the load line, as it was and as it would have been; null: none was. */
  readonly fullAt: { readonly actual: number | null; readonly predicted: number | null };
};

export type AgentPolicy = {
  readonly id: string;
  readonly kind: AgentPolicyKind;
  readonly title: string;
  /** Where the text belongs: a file of the agent, or where it is typed. */
  readonly where: string;
  readonly text: string;
  /** Why it is suggested, from this session. */
  readonly reason: string;
  /** What it does beside: what the figure assumes. */
  readonly note: string | null;
  /** Events that it is about. */
  readonly seqs: readonly number[];
  readonly effect: PolicyEffect | null;
};

export type PoliciesInput = WhatIfInput &
  SessionLoadFacts & {
    /** The format of the session's file. */
    readonly format: string;
    /** The folder that it worked in. */
    readonly cwd: string | null;
    readonly culprits: readonly Culprit[];
    /** Bytes of the session's texts, by seq. */
    readonly bytes: ReadonlyMap<number, number>;
    /** The context came to its line, or was compacted. */
    readonly isFull: boolean;
  };
