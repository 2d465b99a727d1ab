// How much of what an agent needed after a cut is in each of several summaries: the metric of docs/evidence-metric.md.
import { evidenceKept, evidenceSought, type Evidence } from "#lib/kernel/memory/extractive/evidence.ts";
import { piecesOfEvents, type PieceEvent } from "#lib/kernel/memory/extractive/input-from-events.ts";

export type EvidenceTask = {
  /** The log before the cut and after it, with whole texts. */
  readonly before: readonly PieceEvent[];
  readonly after: readonly PieceEvent[];
  readonly summaries: readonly string[];
};

/** In the order of the summaries. */
export function judgeSummaries({ before, after, summaries }: EvidenceTask): readonly Evidence[] {
  const sought = evidenceSought(piecesOfEvents(before), piecesOfEvents(after));
  return summaries.map((summary) => evidenceKept(sought, summary));
}
