// What filled the context of a session, and what to do: the verdict and its culprits, as the Load page says them.
import { z } from "zod";
import { policiesOf } from "#lib/archive/load/session-policies.ts";
import { sessionLedger } from "#lib/archive/load/session-ledger.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { origin } from "#lib/wire/common-schema.ts";
import type { AgentPolicyRow } from "#lib/wire/agent-policies-schema.ts";
import type { CulpritRow } from "#lib/wire/ledger-schema.ts";
import { effectText } from "#lib/wire/policy-effect-text.ts";
import { verdictMarkdown } from "#lib/wire/verdict-markdown.ts";
import { defineTool } from "./define-tool.ts";
import { sessionOf, sessionRef } from "./session-ref.ts";

const LABEL_CHARS = 200;

const culprit = z.object({
  what: z.string(),
  event: z.number().nullable(),
  first_call: z.number(),
  last_call: z.number(),
  tokens: z.number(),
  grade: z.string(),
  calls_carried: z.number(),
  avoidable_tokens: z.number(),
  avoidable_usd: z.number().nullable(),
  avoidable_usd_is_least: z.boolean(),
  fix: z.string(),
});

/** Settings and instructions that are named; `plimsoll policies` has all, with their texts. */
const POLICIES = 6;

const policy = z.object({
  title: z.string(),
  where: z.string(),
  reason: z.string(),
  measured: z.string(),
  saved_prompt_tokens: z.number().nullable(),
});

export const whyFull = defineTool({
  name: "why_full",
  title: "Why a context filled",
  description:
    "Says what filled the context of a session: peak against its load line, the most expensive items with the calls that carried them and what they cost, what to do first, and which settings of the agent would have prevented it, each with its measured effect.",
  maxBytes: 64 * 1024,
  input: z.strictObject({
    session: sessionRef,
    culprits: z.int().min(1).max(50).default(10).describe("How many items at most"),
  }),
  output: z.object({
    session: z.string(),
    title: z.string(),
    state: z.string(),
    verdict: z.string(),
    peak: z.object({
      tokens: z.number().nullable(),
      origin,
      call: z.number().nullable(),
      load_line: z.number().nullable(),
    }),
    cost_usd: z.number().nullable(),
    unattributed_share: z.number().nullable(),
    culprits: z.array(culprit),
    culprits_left_out: z.number(),
    /** Each effect is of that one alone: they do not add up. */
    prevented_by: z.array(policy),
  }),
  async run(context, { session, culprits: most }) {
    const { archive, signal } = context;
    const id = await sessionOf(context, session);
    const ledger = await sessionLedger(archive, id, { counted: true });
    signal?.throwIfAborted();
    const summary = await showSession(archive, ledger.sessionId);
    const shown = ledger.culprits.slice(0, most);
    const leftOut = ledger.culpritsLeftOut + ledger.culprits.length - shown.length;
    const { policies, label } = await policiesOf(archive, ledger.sessionId, { counted: true });
    const named = policies.slice(0, POLICIES).map(policyFacts);
    const { tokens, origin: peakOrigin, call, loadLine } = summary.peak;
    return {
      text:
        verdictMarkdown({ ...ledger, culprits: shown, culpritsLeftOut: leftOut }, summary) + policyText(named, label),
      isError: false,
      structured: {
        session: ledger.sessionId,
        title: ledger.title.slice(0, LABEL_CHARS).toWellFormed(),
        state: ledger.stateText,
        verdict: ledger.verdict,
        peak: { tokens, origin: peakOrigin, call, load_line: loadLine },
        cost_usd: summary.cost.usd,
        unattributed_share: ledger.unattributedShare,
        culprits: shown.map(factsOf),
        culprits_left_out: leftOut,
        prevented_by: named,
      },
    };
  },
});

const factsOf = (one: CulpritRow): z.infer<typeof culprit> => ({
  what: one.label.slice(0, LABEL_CHARS).toWellFormed(),
  event: one.seq,
  first_call: one.fromCall,
  last_call: one.toCall,
  tokens: one.tokens,
  grade: one.grade,
  calls_carried: one.callsResident,
  avoidable_tokens: one.avoidableTokens,
  avoidable_usd: one.avoidableUsd,
  avoidable_usd_is_least: one.isPartial,
  fix: one.fix,
});

type Policy = z.infer<typeof policy>;

const policyFacts = ({ title, where, reason, effect }: AgentPolicyRow): Policy => ({
  title,
  where,
  reason: reason.slice(0, LABEL_CHARS).toWellFormed(),
  measured: effectText(effect),
  saved_prompt_tokens: effect === null ? null : effect.actual.promptTokens - effect.predicted.promptTokens,
});

function policyText(policies: readonly Policy[], label: string): string {
  if (policies.length === 0) return "";
  const lines = policies.map(
    ({ title, where, reason, measured }) => `- **${title}** (${where}): ${measured}. ${reason}`,
  );
  return `\nWhat would have prevented it (upper bound, ${label}; texts: \`plimsoll policies\`):\n\n${lines.join("\n")}\n`;
}
