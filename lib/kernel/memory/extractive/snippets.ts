// Evidence: the stretches of the log that bring the most of what is likely to be needed again, and of what was decided.
import { chunksOf, type Chunk } from "./chunks.ts";
import { plainWords } from "./content-words.ts";
import { entitiesIn } from "./entities.ts";
import { oneLine } from "./line-text.ts";
import type { WeighedNames } from "./names.ts";
import { pick } from "./pick.ts";
import type { Piece } from "./piece.ts";
import { worthOf, type Covered } from "./summary-draft.ts";
import { isDecision, sentencesOf } from "./sentences.ts";

/** `at` and `next`: where it begins in its piece, and where what follows it begins. */
export type Snippet = {
  readonly piece: Piece;
  readonly line: number;
  readonly at: number;
  readonly next: number;
  readonly text: string;
};

export type Picked = { readonly snippets: readonly Snippet[]; readonly all: number };
/** Characters that a snippet takes on a line that is there, and what that line takes beside its snippets. */
export type Cost = { readonly cost: number; readonly opening: number };
export type CostOf = (snippet: Snippet) => Cost;

/** Snippets worth their characters, in the order of the log. `costOf` tells what one takes in the summary. */
export function evidenceSnippets(
  pieces: readonly Piece[],
  { found, weights }: WeighedNames,
  covered: Covered,
  chars: number,
  costOf: CostOf,
): Picked {
  const chunks = pieces.flatMap((piece, i): Chunk[] => (piece.kind === "note" ? [] : chunksOf(piece, found[i]!)));
  const candidates = chunks.map((chunk) => ({
    ...costOf(chunk),
    group: chunk.piece.seq,
    names: chunk.names,
    worth: worthOf(chunk.words),
    base: 0,
  }));
  const picked = new Set(pick(candidates, weights, covered, chars));
  return { snippets: chunks.filter((_, i) => picked.has(i)), all: chunks.length };
}

const SENTENCE_CHARS = 240;
/** Shorter ones only point at what stands around them. */
const LEAST_CHARS = 40;

/** What a settling sentence is worth beside its names: as much as a name that the agent said now, half of that this many pieces ago. */
const SETTLED = 3;
const HALF_AT = 40;

/** Sentences of the agent that settle something, the later the better; in the order of the log. None that is `there` already. */
export function decisions(
  pieces: readonly Piece[],
  there: string,
  { weights }: WeighedNames,
  covered: Covered,
  chars: number,
  costOf: CostOf,
): Picked {
  const said: Snippet[] = [];
  const base: number[] = [];
  for (const [i, piece] of pieces.entries()) {
    if (piece.kind !== "assistant" && piece.kind !== "reasoning") continue;
    for (const { at, text } of sentencesOf(piece.text)) {
      if (text.length < LEAST_CHARS || text.length > SENTENCE_CHARS || !isDecision(text)) continue;
      const line = oneLine(text);
      if (there.includes(line)) continue;
      said.push({ piece, line: 1, at, next: -1, text: line });
      base.push(SETTLED / (1 + (pieces.length - i) / HALF_AT));
    }
  }
  const named = said.map(({ text }) => [...new Set(entitiesIn(text).map(({ name }) => name))]);
  const candidates = said.map((one, i) => ({
    ...costOf(one),
    group: i,
    names: named[i]!,
    worth: worthOf(new Set(plainWords(one.text)).size),
    base: base[i]!,
  }));
  const picked = new Set(pick(candidates, weights, covered, chars));
  return { snippets: said.filter((_, i) => picked.has(i)), all: said.length };
}
