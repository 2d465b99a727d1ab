// The extractive summary: no model, the same log gives the same bytes. Everything in it is the log's own words, each line with
// the events that it was taken from. Secrets are not masked here: whoever sends it to a model, or shows it, masks it
// (artifacts/redact.ts), as with any text of the log.
import { weighNames } from "./names.ts";
import type { Piece } from "./piece.ts";
import { putDecisions, putEvidence, putNames } from "./put-evidence.ts";
import { finishSaid, putSaid } from "./put-said.ts";
import { putChanged, putCommands, putErrors, putOpen, putRead } from "./put-sections.ts";
import { SummaryDraft, type ExtractedLine, type SectionCount } from "./summary-draft.ts";

export type ExtractOptions = {
  /** Characters that the summary may take, line breaks included. */
  readonly budgetChars: number;
  /** The goal is known from before: the first message here is one like others. */
  readonly hasGoal?: boolean;
};

export type Extract = {
  readonly text: string;
  /** The text's lines: joined by line breaks they are the text. */
  readonly lines: readonly ExtractedLine[];
  /** How much of each kind is there, for a reader who wants to know what was left out. */
  readonly counts: readonly SectionCount[];
};

/** Pieces in the order of the log. The text is never longer than the budget, and empty where nothing fits. */
export function extract(pieces: readonly Piece[], { budgetChars, hasGoal = false }: ExtractOptions): Extract {
  const draft = new SummaryDraft(pieces, budgetChars);
  const names = weighNames(pieces);
  putSaid(draft, hasGoal);
  putChanged(draft);
  putOpen(draft);
  putCommands(draft);
  putErrors(draft);
  putRead(draft, names);
  const covered = draft.covered();
  putDecisions(draft, names, covered);
  putEvidence(draft, names, covered);
  putNames(draft, names, covered);
  finishSaid(draft, hasGoal);
  return {
    text: draft.text(),
    lines: draft.lines(),
    counts: draft.counts(),
  };
}
