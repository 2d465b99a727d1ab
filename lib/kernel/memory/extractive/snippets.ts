// Evidence: the stretches of the log that bring the most of what is likely to be needed again, and of what was decided.
import { chunksOf, type Chunk } from "./chunks.ts";
import { plainWords } from "./content-words.ts";
import { entitiesIn } from "./entities.ts";
import { oneLine } from "./line-text.ts";
import type { WeighedNames } from "./names.ts";
import { pick } from "./pick.ts";
import type { Piece } from "./piece.ts";
import { isDecision, sentencesOf } from "./sentences.ts";

/** Words around a name that make it one in context: the metric's number. */
const WORDS = 4;
/** What a name without words around it is worth against one with them. */
const BARE = 0.3;

/** `at` and `next`: where it begins in its piece, and where what follows it begins. */
export type Snippet = {
  readonly piece: Piece;
  readonly line: number;
  readonly at: number;
  readonly next: number;
  readonly text: string;
};

/** How well each name is there already: 1 among words, BARE without. */
export type Covered = Map<string, number>;

const worthOf = (words: number): number => (words >= WORDS ? 1 : BARE);

/** Notes what lines that were put elsewhere say. */
export function cover(covered: Covered, text: string): void {
  const worth = worthOf(new Set(plainWords(text)).size);
  for (const { name } of entitiesIn(text)) covered.set(name, Math.max(covered.get(name) ?? 0, worth));
}

export type Takes = (snippet: Snippet) => number;

/** Snippets worth their characters, in the order of the log. `takes` tells what one takes in the summary. */
export function evidenceSnippets(
  pieces: readonly Piece[],
  { found, weights }: WeighedNames,
  covered: Covered,
  chars: number,
  takes: Takes,
): Snippet[] {
  const chunks = pieces.flatMap((piece, i): Chunk[] => (piece.kind === "note" ? [] : chunksOf(piece, found[i]!)));
  const candidates = chunks.map((chunk) => ({ cost: takes(chunk), names: chunk.names, worth: worthOf(chunk.words) }));
  const picked = new Set(pick(candidates, weights, covered, chars));
  return chunks.filter((_, i) => picked.has(i));
}

const SENTENCE_CHARS = 240;
/** Shorter ones only point at what stands around them. */
const LEAST_CHARS = 40;

/** Sentences of the agent that settle something, the later the better; in the order of the log. */
export function decisions(
  pieces: readonly Piece[],
  { weights }: WeighedNames,
  covered: Covered,
  chars: number,
  takes: Takes,
): Snippet[] {
  const said: Snippet[] = [];
  for (const piece of pieces) {
    if (piece.kind !== "assistant" && piece.kind !== "reasoning") continue;
    for (const { at, text } of sentencesOf(piece.text)) {
      if (text.length < LEAST_CHARS || text.length > SENTENCE_CHARS || !isDecision(text)) continue;
      said.push({ piece, line: 1, at, next: -1, text: oneLine(text) });
    }
  }
  const named = said.map(({ text }) => [...new Set(entitiesIn(text).map(({ name }) => name))]);
  const candidates = said.map((one, i) => ({
    cost: takes(one),
    names: named[i]!,
    worth: worthOf(new Set(plainWords(one.text)).size),
  }));
  const picked = new Set(pick(candidates, weights, covered, chars));
  return said.filter((_, i) => picked.has(i));
}
