// The default summarizer: deterministic, without a model. Its facts are the log's own words too (facts.ts).
import { LIMITS } from "../../limits.ts";
import { traceKey, type RawTrace, type Summarizer, type SummaryLine } from "../memory-types.ts";
import { extract, type Extract } from "./extract.ts";
import { factsOf, GOAL } from "./facts.ts";
import { eventsOfTraces } from "../trace-events.ts";
import { piecesOfEvents } from "./input-from-events.ts";
import { leastBudget } from "./put-said.ts";
import { messagesOf } from "./said.ts";
import type { Piece } from "./piece.ts";

export const extractiveSummarizer: Summarizer = {
  id: "extractive",
  summarize(traces, { budgetChars, mostChars = Number.POSITIVE_INFINITY, signal, known = [] }) {
    signal?.throwIfAborted();
    const pieces = piecesOfEvents(eventsOfTraces(traces));
    const { text, lines } = extract(pieces, {
      budgetChars: Math.min(budgetChars ?? defaultBudget(pieces), mostChars),
      // The first message of a later part is not what it is all about.
      hasGoal: known.some((fact) => fact.startsWith(GOAL)),
    });
    // Failing commands and files stand in sections of its own.
    return { summary: text, facts: factsOf(pieces, { known }), lines: linesOf(lines, traces), hasDiagnostics: true };
  },
};

/**
 * A third of what it stands for, for a short cut, or more where the goal and the limits need it; an agent's own summaries have
 * about 12,000 characters whatever they cover.
 */
export function defaultBudget(pieces: readonly Piece[], most: number = LIMITS.summaryChars): number {
  const chars = pieces.reduce((sum, { text }) => sum + text.length, 0);
  return Math.min(most, Math.max(LIMITS.summaryLeastChars, Math.ceil(chars / 3), leastBudget(messagesOf(pieces))));
}

const linesOf = (lines: Extract["lines"], traces: readonly RawTrace[]): SummaryLine[] =>
  lines.map(({ text, seqs }) => {
    const own = seqs.map((seq) => traces[seq - 1]!);
    return {
      text,
      turnIds: [...new Set(own.map(({ turnId }) => turnId).filter((id) => id !== null))],
      traceIds: own.map(traceKey),
    };
  });
