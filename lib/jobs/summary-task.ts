// A summary of the log's own words, and how much of what a summary should keep is in one, whoever wrote it.
import { contentWords } from "#lib/kernel/memory/extractive/content-words.ts";
import { evidenceKept, evidenceSought } from "#lib/kernel/memory/extractive/evidence.ts";
import { extract } from "#lib/kernel/memory/extractive/extract.ts";
import { factsOf } from "#lib/kernel/memory/extractive/extractive-summarizer.ts";
import { piecesOfEvents, type PieceEvent } from "#lib/kernel/memory/extractive/from-events.ts";
import type { Piece } from "#lib/kernel/memory/extractive/piece.ts";
import { isDecision, sentencesOf } from "#lib/kernel/memory/extractive/sentences.ts";
import type { SummarizedFact } from "#lib/kernel/memory/types.ts";

export type SummaryTask = {
  /** What the summary is to stand for, in the order of the log, with whole texts. */
  readonly events: readonly PieceEvent[];
  /** Characters of the summary, at most. */
  readonly budgetChars: number;
  /** A summary that somebody else wrote: it is judged, and none is made. */
  readonly given?: string;
};

export type KeptCount = { readonly kept: number; readonly total: number };

export type SummaryAnswer = {
  readonly summary: string;
  readonly lines: readonly { readonly text: string; readonly seqs: readonly number[] }[];
  readonly facts: readonly SummarizedFact[];
  readonly kept: Readonly<Record<"files" | "commands" | "errors" | "userMessages" | "decisions", KeptCount>>;
};

export function summarize({ events, budgetChars, given }: SummaryTask): SummaryAnswer {
  const pieces = piecesOfEvents(events);
  if (given !== undefined) return { summary: given, lines: [], facts: [], kept: keptOf(pieces, given) };
  const { text, lines } = extract(pieces, { budgetChars });
  return {
    summary: text,
    lines: lines.map((line) => ({ text: line.text, seqs: [...line.seqs] })),
    facts: factsOf(pieces),
    kept: keptOf(pieces, text),
  };
}

function keptOf(pieces: readonly Piece[], summary: string): SummaryAnswer["kept"] {
  const sought = evidenceSought(pieces, []);
  const share = evidenceKept(sought, summary);
  const count = (part: number | null, total: number): KeptCount => ({ kept: Math.round((part ?? 0) * total), total });
  return {
    files: count(share.filesModified, sought.files.length),
    commands: count(share.commands, sought.commands.length),
    errors: count(share.errors, sought.errors.length),
    userMessages: count(share.userMessages, sought.messages.length),
    decisions: decisionsKept(pieces, summary),
  };
}

/** A decision counts as kept when a line of the summary has most of its words: the share that user messages are held to. */
const COVERED = 0.6;
/** Fewer content words say no decision. */
const LEAST_WORDS = 4;
/** Compared, the newest ones: a log of a day has thousands of sentences. */
const DECISIONS = 500;

function decisionsKept(pieces: readonly Piece[], summary: string): KeptCount {
  const decisions = pieces
    .filter(({ kind }) => kind === "assistant")
    .flatMap(({ text }) => sentencesOf(text).map((sentence) => sentence.text))
    .filter(isDecision)
    .map((sentence) => new Set(contentWords(sentence)))
    .filter(({ size }) => size >= LEAST_WORDS)
    .slice(-DECISIONS);
  const lines = summary.split("\n").map((line) => new Set(contentWords(line)));
  const isKept = (words: ReadonlySet<string>): boolean =>
    lines.some((line) => line.size >= LEAST_WORDS && words.intersection(line).size >= COVERED * words.size);
  return { kept: decisions.filter(isKept).length, total: decisions.length };
}
