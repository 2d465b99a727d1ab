// What a compaction would make of a session. Nothing is changed or kept.
import { z } from "zod";
import { compactSession } from "#lib/archive/memory/compact.ts";
import { origin } from "#lib/wire/common-schema.ts";
import { compactRequest } from "#lib/wire/memory-schema.ts";
import { defineTool } from "./define-tool.ts";
import { sessionOf, sessionRef } from "./session-ref.ts";

const kept = z.object({ kept: z.number(), total: z.number() });

export const compactPlan = defineTool({
  name: "compact_plan",
  title: "Plan a compaction",
  description:
    "Shows what a compaction of a session would leave: the summary, tokens before and after, and how much evidence the summary keeps. No model is called, and nothing is changed.",
  maxBytes: 128 * 1024,
  input: z.strictObject({
    session: sessionRef,
    at_event: z.int().min(1).optional().describe("The last event when absent"),
    tail_turns: z.int().min(0).max(1000).optional().describe("Last turns that stay whole"),
    summary_chars: z.int().min(200).max(60_000).default(6000).describe("Length of the summary at most"),
  }),
  output: z.object({
    session: z.string(),
    status: z.string(),
    reason: z.string().nullable(),
    first_event: z.number().nullable(),
    last_event: z.number().nullable(),
    tokens_before: z.number(),
    tokens_after: z.number(),
    origin,
    summary: z.string(),
    evidence: z.object({ files: kept, commands: kept, errors: kept, user_messages: kept, decisions: kept }),
  }),
  async run(context, { session, at_event, tail_turns, summary_chars }) {
    const { archive, signal } = context;
    const id = await sessionOf(context, session);
    const request = compactRequest.parse({
      dryRun: true,
      budgetChars: summary_chars,
      ...(at_event !== undefined && { at: at_event }),
      ...(tail_turns !== undefined && { tail: tail_turns }),
    });
    const plan = await compactSession(archive, id, request, { counted: true, ...(signal && { signal }) });
    const { status, reason, events, tokensBefore, tokensAfter, summary } = plan;
    const { files, commands, errors, userMessages, decisions } = plan.kept;
    const grade = plan.origin === "estimated" ? "~" : "";
    return {
      text:
        events === null
          ? `Nothing to compact. ${reason ?? ""}`.trim()
          : `Would compact events ${events[0]} to ${events[1]}: messages ${grade}${tokensBefore} down to ${grade}${tokensAfter} tokens.\n\n${summary}`,
      isError: false,
      structured: {
        session: id,
        status,
        reason,
        first_event: events?.[0] ?? null,
        last_event: events?.[1] ?? null,
        tokens_before: tokensBefore,
        tokens_after: tokensAfter,
        origin: plan.origin,
        summary,
        evidence: { files, commands, errors, user_messages: userMessages, decisions },
      },
    };
  },
});
