// The extractive summary: no model, the same log gives the same bytes. Everything in it is the log's own words, each line with
// the events that it was taken from. Secrets are not masked here: whoever sends it to a model, or shows it, masks it
// (artifacts/redact.ts), as with any text of the log.
import { commandsRun } from "./commands-run.ts";
import { errorLines } from "./error-lines.ts";
import { changedLines, deedOf, touchedFiles } from "./file-ledger.ts";
import { oneLine } from "./line-text.ts";
import { weighNames, type WeighedNames } from "./names.ts";
import { openItems } from "./open-items.ts";
import type { Piece } from "./piece.ts";
import { saidWithin } from "./said.ts";
import { cover, decisions, evidenceSnippets, type Covered, type Snippet } from "./snippets.ts";
import { SummaryDraft, type ExtractedLine, type Section, type SectionCount } from "./summary-draft.ts";

export type ExtractOptions = {
  /** Characters that the summary may take, line breaks included. */
  readonly budgetChars: number;
};

export type Extract = {
  readonly text: string;
  /** The text's lines: joined by line breaks they are the text. */
  readonly lines: readonly ExtractedLine[];
  /** How much of each kind is there: what a reader is told was left out. */
  readonly counts: readonly SectionCount[];
};

export const SECTIONS = {
  goal: "Goal",
  said: "What the person said",
  files: "Files",
  decisions: "Decisions",
  commands: "Commands, as they last ended",
  errors: "Error lines",
  open: "Open",
  evidence: "Evidence",
  names: "Other names",
} as const;

// Shares of the budget that a section may take at most; evidence gets all that the others leave. The least that met the
// targets at the size of an agent's own summary and at twice the size (docs/evidence-metric.md).
const SHARE = {
  said: 0.35,
  changed: 0.25,
  read: 0.05,
  decisions: 0.06,
  commands: 0.22,
  errors: 0.1,
  open: 0.08,
  names: 0.03,
};

export function extract(pieces: readonly Piece[], { budgetChars }: ExtractOptions): Extract {
  const draft = new SummaryDraft(Object.values(SECTIONS), budgetChars);
  const names = weighNames(pieces);
  putSaid(draft, pieces, budgetChars);
  putChanged(draft, pieces, budgetChars);
  putOpen(draft, pieces, budgetChars);
  putCommands(draft, pieces, budgetChars);
  putErrors(draft, pieces, budgetChars);
  putRead(draft, pieces, names.weights, budgetChars);
  const covered: Covered = new Map();
  for (const { text } of draft.lines()) cover(covered, text);
  const takes = (snippet: Snippet): number => lineOf(snippet).length + 1;
  const settled = draft.section(SECTIONS.decisions);
  const most = Math.min(draft.left, budgetChars * SHARE.decisions);
  putSnippets(draft, settled, decisions(pieces, names, covered, most, takes));
  const evidence = draft.section(SECTIONS.evidence);
  const room = draft.left - budgetChars * SHARE.names - draft.costOf(evidence, "");
  putSnippets(draft, evidence, evidenceSnippets(pieces, names, covered, room, takes));
  putNames(draft, pieces, names, covered);
  const lines = draft.lines();
  return {
    text: lines.map(({ text }) => text).join("\n"),
    lines,
    counts: draft.sections.map(({ title, kept, all }) => ({ title, kept, all })),
  };
}

function putSaid(draft: SummaryDraft, pieces: readonly Piece[], budgetChars: number): void {
  const messages = pieces.filter(({ kind }) => kind === "user");
  const around = messages.length * LINE_AROUND;
  const said = saidWithin(pieces, Math.max(0, Math.floor(budgetChars * SHARE.said - around)));
  const [goal, rest] = [draft.section(SECTIONS.goal), draft.section(SECTIONS.said)];
  goal.all = Math.min(1, messages.length);
  rest.all = messages.length - goal.all;
  const isGoal = ({ seq }: { seq: number }): boolean => seq === messages[0]!.seq;
  const fits = new Set<number>();
  let left = budgetChars * SHARE.said;
  // The goal, then the newest word first: where not even the shortened ones fit, the oldest go.
  for (const one of [...said.filter(isGoal), ...said.filter((other) => !isGoal(other)).toReversed()]) {
    left -= one.text.length + LINE_AROUND;
    if (left < 0) break;
    fits.add(one.seq);
  }
  for (const one of said) {
    if (!fits.has(one.seq)) continue;
    const section = isGoal(one) ? goal : rest;
    if (draft.put(section, `- ${one.text} ${eventRef(one.seq)}`, [one.seq]) > 0) section.kept++;
  }
}

/** Characters of a line beside its words: dash, reference, break. */
const LINE_AROUND = 18;

function putChanged(draft: SummaryDraft, pieces: readonly Piece[], budgetChars: number): void {
  const section = draft.section(SECTIONS.files);
  const changed = touchedFiles(pieces).filter(({ does }) => does !== "read");
  section.all += changed.length;
  let left = budgetChars * SHARE.changed;
  for (const { text, files } of changedLines(changed, left)) {
    const took = draft.put(
      section,
      text,
      files.flatMap(({ seqs }) => seqs),
      left,
    );
    left -= took;
    if (took > 0) section.kept += files.length;
  }
}

function putRead(
  draft: SummaryDraft,
  pieces: readonly Piece[],
  weights: ReadonlyMap<string, number>,
  budgetChars: number,
): void {
  const section = draft.section(SECTIONS.files);
  const weightOf = ({ path }: { path: string }): number => weights.get(path) ?? 0;
  const read = touchedFiles(pieces)
    .filter(({ does }) => does === "read")
    .toSorted((a, b) => weightOf(b) - weightOf(a));
  section.all += read.length;
  let left = budgetChars * SHARE.read;
  for (const file of read) {
    const text = `- ${deedOf(file)} ${oneLine(file.path)} ${eventRef(file.lastSeq)}`;
    const took = draft.put(section, text, file.seqs, left);
    left -= took;
    if (took > 0) section.kept++;
  }
}

function putOpen(draft: SummaryDraft, pieces: readonly Piece[], budgetChars: number): void {
  const section = draft.section(SECTIONS.open);
  let left = budgetChars * SHARE.open;
  for (const { text, seq } of openItems(pieces)) {
    section.all++;
    const took = draft.put(section, `- ${text} ${eventRef(seq)}`, [seq], left);
    left -= took;
    if (took > 0) section.kept++;
  }
}

function putCommands(draft: SummaryDraft, pieces: readonly Piece[], budgetChars: number): void {
  const section = draft.section(SECTIONS.commands);
  let left = budgetChars * SHARE.commands;
  for (const { text, times, ended, seqs, lastSeq } of commandsRun(pieces)) {
    section.all++;
    const often = times > 1 ? ` ×${times}` : "";
    const took = draft.put(section, `- ${ended}${often}: ${text} ${eventRef(lastSeq)}`, seqs, left);
    left -= took;
    if (took > 0) section.kept++;
  }
}

function putErrors(draft: SummaryDraft, pieces: readonly Piece[], budgetChars: number): void {
  const section = draft.section(SECTIONS.errors);
  let left = budgetChars * SHARE.errors;
  for (const { text, piece, line } of errorLines(pieces)) {
    section.all++;
    const took = draft.put(section, `- ${text} ${refOf(piece, line)}`, [piece.seq], left);
    left -= took;
    if (took > 0) section.kept++;
  }
}

/** Snippets that stand next to each other in the log are one line: they share a reference. */
function putSnippets(draft: SummaryDraft, section: Section, snippets: readonly Snippet[]): void {
  section.all = section.kept = snippets.length;
  for (let i = 0; i < snippets.length;) {
    const first = snippets[i++]!;
    let { text, next } = first;
    while (i < snippets.length && snippets[i]!.piece === first.piece && snippets[i]!.at === next) {
      text += ` ${snippets[i]!.text}`;
      next = snippets[i++]!.next;
    }
    draft.put(section, lineOf({ ...first, text }), [first.piece.seq]);
  }
}

function putNames(
  draft: SummaryDraft,
  pieces: readonly Piece[],
  { found, weights }: WeighedNames,
  covered: Covered,
): void {
  const section = draft.section(SECTIONS.names);
  const rest = [...weights]
    .filter(([name]) => !covered.has(name))
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  section.all = rest.length;
  let [line, seqs] = ["-", new Set<number>()];
  const last = lastPlaces(pieces, found);
  for (const [name] of rest) {
    const longer = `${line} ${name}`;
    if (draft.costOf(section, longer) > draft.left) break;
    line = longer;
    seqs.add(last.get(name)!);
    section.kept++;
  }
  if (seqs.size > 0)
    draft.put(
      section,
      line,
      [...seqs].toSorted((a, b) => a - b),
    );
}

function lastPlaces(pieces: readonly Piece[], found: WeighedNames["found"]): Map<string, number> {
  const last = new Map<string, number>();
  for (const [i, names] of found.entries()) for (const { name } of names) last.set(name, pieces[i]!.seq);
  return last;
}

const eventRef = (seq: number): string => `[event ${seq}]`;

/** Where a line stands in full: in the artifact where its output is kept, else in the event. */
const refOf = ({ artifact, seq }: Piece, line: number): string =>
  artifact === null ? eventRef(seq) : `[artifact:${oneLine(artifact)}#L${line}]`;

const lineOf = ({ text, piece, line }: Snippet): string => `- ${text} ${refOf(piece, line)}`;
