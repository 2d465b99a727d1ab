"use client";
import { leastUsd, NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import type { SessionsAnswer, SessionSums } from "#lib/wire/sessions-schema.ts";
import { formatCount, formatTokens } from "../ui/format.ts";

/** What all listed sessions come to, whatever part of them is on screen. */
export function ListSums({ sums }: { sums: NonNullable<SessionsAnswer["sums"]> }) {
  const { subAgents } = sums;
  return (
    <section
      aria-label="Sums of the list"
      className="flex min-h-8 flex-none flex-wrap items-center gap-x-4 border-t border-line px-6 py-1 text-12 text-ink-2 max-md:px-4"
    >
      <span className="font-medium text-ink">{formatCount(sums.sessions, "session")}</span>
      <SumFigures sums={sums} />
      {subAgents !== null && (
        <span className="flex flex-wrap gap-x-4 text-ink-3">
          <span>+ {formatCount(subAgents.sessions, "sub-agent")}</span>
          <SumFigures sums={subAgents} />
        </span>
      )}
    </section>
  );
}

/** Calls, tokens and dollars; the figures of a project too. */
export function SumFigures({ sums }: { sums: SessionSums }) {
  const { calls, tokens, usd, isPartial } = sums;
  return (
    <>
      <span className="tabular-nums" title={INHERITED}>
        {formatCount(calls, "call")}
      </span>
      <span className="tabular-nums" title={`${formatTokens(tokens)} tokens, all prompts together. ${INHERITED}`}>
        {tokens === 0 && calls > 0 ? "no tokens recorded" : `${formatTokens(tokens, true)} tokens sent`}
      </span>
      <span className="tabular-nums" title={isPartial ? PARTIAL : INHERITED}>
        {leastUsd(usd, isPartial) ?? NO_PRICE}
      </span>
    </>
  );
}

const PARTIAL = "The true cost is more: some calls lack a price or usage.";
const INHERITED = "Inherited calls count in the session that made them.";
