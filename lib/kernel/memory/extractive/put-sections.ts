// The sections that are lists of things: files, commands, errors, what is open. Each has a share of the budget
// that it may take at most; what it leaves goes to evidence.
import { commandsRun } from "./commands-run.ts";
import { errorLines } from "./error-lines.ts";
import { changedLines, deedOf, touchedFiles } from "./file-ledger.ts";
import { oneLine } from "./line-text.ts";
import type { WeighedNames } from "./names.ts";
import { openItems } from "./open-items.ts";
import type { Piece } from "./piece.ts";
import type { SectionName, SummaryDraft } from "./summary-draft.ts";

// About half or one and a half of any one of these moves contexted recall by at most 0.013 over 48 cuts, so the other scores of
// docs/evidence-metric.md decided: commands and errors keep well above their targets there.
const SHARE = { changed: 0.26, read: 0.02, commands: 0.145, errors: 0.08, open: 0.08 } as const;

/** Puts one thing after the other, as many as fit, skipping those that do not. */
function putEach<T>(
  draft: SummaryDraft,
  name: SectionName,
  share: number,
  things: readonly T[],
  lineOf: (thing: T) => { text: string; seqs: readonly number[]; count?: number },
): void {
  const section = draft.section(name);
  let left = Math.floor(draft.budget * share);
  for (const thing of things) {
    const { text, seqs, count = 1 } = lineOf(thing);
    section.all += count;
    const took = draft.put(name, text, seqs, left);
    left -= took;
    if (took > 0) section.kept += count;
  }
}

export function putChanged(draft: SummaryDraft): void {
  const changed = touchedFiles(draft.pieces).filter(({ does }) => does !== "read");
  const room = Math.floor(draft.budget * SHARE.changed) - draft.costOf("files", "");
  const lines = changedLines(changed, room, draft.ref);
  putEach(draft, "files", SHARE.changed, lines, ({ text, files, seqs }) => ({
    text,
    seqs: [...new Set(seqs)].toSorted((a, b) => a - b),
    count: files.length,
  }));
}

export function putRead(draft: SummaryDraft, { weights }: WeighedNames): void {
  const weightOf = ({ path }: { readonly path: string }): number => weights.get(path) ?? 0;
  const read = touchedFiles(draft.pieces)
    .filter(({ does }) => does === "read")
    .toSorted((a, b) => weightOf(b) - weightOf(a));
  putEach(draft, "files", SHARE.read, read, (file) => ({
    text: `- ${deedOf(file)} ${oneLine(file.path)} ${draft.ref(file.lastSeq)}`,
    seqs: file.seqs,
  }));
}

export function putOpen(draft: SummaryDraft): void {
  putEach(draft, "open", SHARE.open, openItems(draft.pieces), ({ text, seq }) => ({
    text: `- ${text} ${draft.ref(seq)}`,
    seqs: [seq],
  }));
}

export function putCommands(draft: SummaryDraft): void {
  putEach(draft, "commands", SHARE.commands, commandsRun(draft.pieces), ({ text, times, ended, seqs, lastSeq }) => ({
    text: `- ${ended}${times > 1 ? ` ×${times}` : ""}: ${text} ${draft.ref(lastSeq)}`,
    seqs,
  }));
  draft.inOrder("commands");
}

export function putErrors(draft: SummaryDraft): void {
  putEach(draft, "errors", SHARE.errors, errorLines(draft.pieces), ({ text, piece, line }) => ({
    text: `- ${text} ${referenceOf(piece, line)}`,
    seqs: [piece.seq],
  }));
  draft.inOrder("errors");
}

/** Where lines stand in full: in the artifact where their output is kept, else in the event. */
export const referenceOf = ({ artifact, ref }: Piece, ...lines: readonly number[]): string =>
  artifact === null ? `[${ref}]` : `[artifact:${oneLine(artifact)}#L${lines.join(",")}]`;
