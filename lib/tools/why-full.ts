// What filled the context of a session, and what to do: the verdict and its culprits, as the Load page says them.
import { z } from "zod";
import { sessionLedger } from "#lib/archive/load/session-ledger.ts";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { origin } from "#lib/wire/common-schema.ts";
import type { CulpritRow } from "#lib/wire/ledger-schema.ts";
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
  fix: z.string(),
});

export const whyFull = defineTool({
  name: "why_full",
  title: "Why a context filled",
  description:
    "Says what filled the context of a session: peak against its load line, the most expensive items with the calls that carried them and what they cost, and what to do first.",
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
  }),
  async run(context, { session, culprits: most }) {
    const { archive, signal } = context;
    const id = await sessionOf(context, session);
    const ledger = await sessionLedger(archive, id, { counted: true });
    signal?.throwIfAborted();
    const summary = await showSession(archive, ledger.sessionId);
    const shown = ledger.culprits.slice(0, most);
    const leftOut = ledger.culpritsLeftOut + ledger.culprits.length - shown.length;
    const { tokens, origin: peakOrigin, call, loadLine } = summary.peak;
    return {
      text: verdictMarkdown({ ...ledger, culprits: shown, culpritsLeftOut: leftOut }, summary),
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
  fix: one.fix,
});
