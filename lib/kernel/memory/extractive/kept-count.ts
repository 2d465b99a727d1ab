// How much of a cut stands in the summary that was written: counted from its text, line by line, never from what was meant to
// be in it. Words that are spread over many lines say nothing together.
import { contentWords } from "./content-words.ts";
import { evidenceKept, evidenceSought } from "./evidence.ts";
import { commandKey } from "./evidence-lists.ts";
import { oneLine } from "./line-text.ts";
import type { Piece } from "./piece.ts";
import { messagesOf } from "./said.ts";
import { isDecision, sentencesOf } from "./sentences.ts";

export type KeptCount = { readonly kept: number; readonly total: number };
export type KeptCounts = Readonly<Record<"files" | "commands" | "errors" | "userMessages" | "decisions", KeptCount>>;

/** A message or a decision counts as kept when one line has most of its words. */
const COVERED = 0.6;
/** Fewer content words say no decision. */
const LEAST_WORDS = 4;
/** Compared, the newest ones: a log of a day has thousands of sentences. */
const MOST = 500;

/** `isQuoted`: the summary has the log's own words, so that a decision is there word for word or not at all. */
export function countKept(pieces: readonly Piece[], summary: string, { isQuoted }: { isQuoted: boolean }): KeptCounts {
  const sought = evidenceSought(pieces, []);
  const share = evidenceKept(sought, summary);
  const count = (part: number | null, total: number): KeptCount => ({ kept: Math.round((part ?? 0) * total), total });
  const lines = summary.split("\n").filter((line) => !line.startsWith("## "));
  return {
    files: count(share.filesModified, sought.files.length),
    commands: count(share.commands, sought.commands.length),
    errors: count(share.errors, sought.errors.length),
    userMessages: messagesKept(pieces, lines),
    decisions: decisionsKept(pieces, lines, isQuoted),
  };
}

function messagesKept(pieces: readonly Piece[], lines: readonly string[]): KeptCount {
  const messages = messagesOf(pieces);
  const words = lines.map((line) => new Set(contentWords(line)));
  const isKept = ({ text }: Piece): boolean => {
    const whole = oneLine(text);
    const own = new Set(contentWords(text));
    if (own.size === 0) return lines.some((line) => line.includes(whole));
    return words.some((line) => own.intersection(line).size >= COVERED * own.size);
  };
  return { kept: messages.filter(isKept).length, total: messages.length };
}

function decisionsKept(pieces: readonly Piece[], lines: readonly string[], isQuoted: boolean): KeptCount {
  const decisions = new Map<string, ReadonlySet<string>>();
  for (const { kind, text } of pieces) {
    if (kind !== "assistant") continue;
    for (const { text: sentence } of sentencesOf(text)) {
      const words = new Set(contentWords(sentence));
      if (isDecision(sentence) && words.size >= LEAST_WORDS) decisions.set(commandKey(sentence), words);
    }
  }
  const all = [...decisions].slice(-MOST);
  if (isQuoted)
    return {
      kept: all.filter(([key]) => lines.some((line) => commandKey(line, Infinity).includes(key))).length,
      total: all.length,
    };
  // Other words: each sentence of the summary stands for one decision at most.
  const sentences = lines.flatMap((line) => sentencesOf(line)).map(({ text }) => new Set(contentWords(text)));
  let kept = 0;
  for (const [, words] of all) {
    const at = sentences.findIndex(
      (own) => own.size >= LEAST_WORDS && words.intersection(own).size >= COVERED * words.size,
    );
    if (at < 0) continue;
    sentences.splice(at, 1);
    kept++;
  }
  return { kept, total: all.length };
}
