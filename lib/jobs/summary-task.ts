// A summary of the log's own words, and how much of what a summary should keep is in one, whoever wrote it.
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import { extract } from "#lib/kernel/memory/extractive/extract.ts";
import { factsOf } from "#lib/kernel/memory/extractive/facts.ts";
import { piecesOfEvents, type PieceEvent } from "#lib/kernel/memory/extractive/input-from-events.ts";
import { countKept, type KeptCounts } from "#lib/kernel/memory/extractive/kept-count.ts";
import type { SummarizedFact } from "#lib/kernel/memory/memory-types.ts";

export type SummaryTask = {
  /** What the summary is to stand for, in the order of the log, with whole texts. */
  readonly events: readonly PieceEvent[];
  /** Characters of the summary, at most. */
  readonly budgetChars: number;
  /** Facts that memory has already. */
  readonly known?: readonly string[];
  /** A summary that somebody else wrote: it is judged, and none is made. */
  readonly given?: string;
};

export type SummaryAnswer = {
  readonly summary: string;
  readonly lines: readonly { readonly text: string; readonly seqs: readonly number[] }[];
  readonly facts: readonly SummarizedFact[];
  readonly kept: KeptCounts;
};

export function summarize({ events, budgetChars, given, known = [] }: SummaryTask): SummaryAnswer {
  const pieces = piecesOfEvents(events);
  if (given !== undefined)
    return { summary: given, lines: [], facts: [], kept: countKept(pieces, given, { isQuoted: false }) };
  // Secrets are masked before anything is counted: what stands in the summary is what counts.
  const lines = extract(pieces, { budgetChars }).lines.map(({ text, seqs }) => ({
    text: redactText(text).text,
    seqs: [...seqs],
  }));
  const summary = lines.map(({ text }) => text).join("\n");
  return { summary, lines, facts: factsOf(pieces, { known }), kept: countKept(pieces, summary, { isQuoted: true }) };
}
