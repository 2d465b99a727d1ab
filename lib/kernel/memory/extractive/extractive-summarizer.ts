// The default summarizer: deterministic, without a model. Its facts are the log's own words too: wishes of the person, steps
// left open, commands that fail, files that changed, artifacts that hold outputs.
import { LIMITS } from "../../limits.ts";
import { traceKey, type RawTrace, type SummarizedFact, type Summarizer, type SummaryLine } from "../types.ts";
import { commandsRun } from "./commands-run.ts";
import { extract, type Extract } from "./extract.ts";
import { deedOf, touchedFiles } from "./file-ledger.ts";
import { piecesOfTraces } from "./from-traces.ts";
import { clipped, oneLine } from "./line-text.ts";
import { leastBudget } from "./put-said.ts";
import { messagesOf } from "./said.ts";
import { openItems } from "./open-items.ts";
import type { Piece } from "./piece.ts";
import { isRequest, sentencesOf } from "./sentences.ts";

export const extractiveSummarizer: Summarizer = {
  id: "extractive",
  summarize(traces, { budgetChars, signal }) {
    signal?.throwIfAborted();
    const pieces = piecesOfTraces(traces);
    const { text, lines } = extract(pieces, { budgetChars: budgetChars ?? defaultBudget(pieces) });
    // Failing commands and files stand in sections of its own.
    return { summary: text, facts: factsOf(pieces), lines: linesOf(lines, traces), hasDiagnostics: true };
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

const FACT_CHARS = 500;
/** Of each kind, at most; together the twenty that a model's reply may have. */
const EACH = { wishes: 5, open: 5, failing: 3, files: 4, artifacts: 3 } as const;

/** What holds beyond the summary: wishes, open steps, failing commands, changed files, artifacts. */
export function factsOf(pieces: readonly Piece[]): SummarizedFact[] {
  const fact = (text: string): string => clipped(oneLine(text), FACT_CHARS);
  const wishes = pieces
    .filter(({ kind }) => kind === "user")
    .flatMap(({ text, seq }) => sentencesOf(text).map((sentence) => ({ text: sentence.text, seqs: [seq] })))
    .filter(({ text }) => isRequest(text))
    .slice(-EACH.wishes);
  const failing = commandsRun(pieces).filter(({ isFailed }) => isFailed);
  const changed = touchedFiles(pieces).filter(({ does }) => does !== "read");
  const artifacts = new Map(
    pieces.flatMap(({ artifact, toolName, seq }) =>
      artifact === null ? [] : [[artifact, { toolName: toolName ?? "a tool", seqs: [seq] }] as const],
    ),
  );
  const open = openItems(pieces).filter(({ text }) => text.startsWith("to do: "));
  return [
    ...failing.slice(0, EACH.failing).map(({ text, ended, seqs }): SummarizedFact => ({
      fact: fact(`${ended}: ${text}`),
      seqs,
      category: "critical_issue",
      salience: 0.9,
    })),
    ...open.slice(0, EACH.open).map(({ text, seq }): SummarizedFact => ({
      fact: fact(text),
      seqs: [seq],
      category: "unresolved_work",
      salience: 0.8,
    })),
    ...wishes.map(({ text, seqs }): SummarizedFact => ({
      fact: fact(text),
      seqs,
      category: "user_preference",
      salience: 0.7,
    })),
    ...changed.slice(0, EACH.files).map((file): SummarizedFact => ({
      fact: fact(`${deedOf(file)} ${file.path}`),
      seqs: file.seqs,
      category: "durable_fact",
      salience: 0.6,
    })),
    ...[...artifacts].slice(-EACH.artifacts).map(([artifact, { toolName, seqs }]): SummarizedFact => ({
      fact: fact(`output of ${toolName} in ${artifact}`),
      seqs,
      category: "important_artifact",
      salience: 0.5,
    })),
  ];
}
