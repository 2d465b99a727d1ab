// Snippets that evidence is picked from: pieces cut at their lines into stretches of about 200 characters, small enough that
// one stretch is the context of every name in it.
import type { Entity } from "./entities.ts";
import { plainWords } from "./content-words.ts";
import { oneLine } from "./line-text.ts";
import type { Piece } from "./piece.ts";

export type Chunk = {
  readonly piece: Piece;
  /** Line of the piece's text that it begins with, from 1. */
  readonly line: number;
  /** Where it begins in the piece's text, and where what follows it begins. */
  readonly at: number;
  readonly next: number;
  readonly text: string;
  /** Names in it, each once. */
  readonly names: readonly string[];
  /** Distinct content words in it, names left out. */
  readonly words: number;
};

const LONGEST = 200;
/** Line numbers that a tool put before the lines of a file. */
const GUTTER = /^ *\d+(?:→|\t)/gm;

export function chunksOf(piece: Piece, found: readonly Entity[]): Chunk[] {
  const { text } = piece;
  const chunks: Chunk[] = [];
  let next = 0;
  let line = 1;
  let from = 0;
  while (from < text.length) {
    const to = endOf(text, from);
    const names = new Set<string>();
    for (; next < found.length && found[next]!.at < to; next++) {
      const { name, at } = found[next]!;
      // A name that a cut goes through is in neither half.
      if (at >= from && at + name.length <= to) names.add(name);
    }
    const raw = text.slice(from, to);
    if (names.size > 0) {
      const flat = oneLine(piece.kind === "tool_result" ? raw.replace(GUTTER, "") : raw);
      chunks.push({
        piece,
        line,
        at: from,
        next: to,
        text: flat,
        names: [...names],
        words: new Set(plainWords(flat)).size,
      });
    }
    for (let at = raw.indexOf("\n"); at >= 0; at = raw.indexOf("\n", at + 1)) line++;
    from = to;
  }
  return chunks;
}

/** Where the stretch ends that begins at `from`: after the last whole line that fits, else after a sentence, else a word. */
function endOf(text: string, from: number): number {
  const most = from + LONGEST;
  if (most >= text.length) return text.length;
  const least = from + (LONGEST >> 1);
  // Looked for in the second half alone: back through a line of 300 KB without a space took 5 s.
  const second = text.slice(least, most);
  for (const end of ["\n", ". ", " "]) {
    const at = second.lastIndexOf(end);
    if (at >= 0) return least + at + end.length;
  }
  // Not inside a pair of surrogates.
  const code = text.charCodeAt(most - 1);
  return code >= 0xd800 && code <= 0xdbff ? most - 1 : most;
}
