// What the agent said right before a call: why it was made, and the words that stood around it in the context.
import { plainWords } from "./content-words.ts";
import { clipped, oneLine, tailOf } from "./line-text.ts";
import { isAgents, type Piece } from "./piece.ts";

export type Why = { readonly text: string; readonly seq: number };

const CHARS = 100;
/** Fewer content words say nothing. */
const WORDS = 4;

/** For each piece: of a call the end of what the agent last said in the same turn, elsewhere null. */
export function whysOf(pieces: readonly Piece[]): (Why | null)[] {
  let last: Why | null = null;
  return pieces.map((piece) => {
    if (piece.kind === "tool_call") return last;
    if (piece.kind === "user") last = null;
    else if (isAgents(piece)) last = whyOf(piece);
    return null;
  });
}

/** Further into a call a file is no more what the words before the call were about. */
const NEAR = 80;

/** What can be told of a file that a call touched: what was said before the call, and what the call says of it. */
export function notesOfFile({ text, seq }: Piece, path: string, why: Why | null): Why[] {
  const at = text.indexOf(path);
  const from = at + path.length;
  const own = at < 0 ? "" : clipped(oneLine(text.slice(from, from + 2 * CHARS)), CHARS);
  const notes = new Set(plainWords(own)).size >= WORDS ? [{ text: own, seq }] : [];
  return why !== null && at <= NEAR ? [why, ...notes] : notes;
}

function whyOf({ text, seq }: Piece): Why | null {
  const end = tailOf(oneLine(text.slice(-4 * CHARS)), CHARS);
  return new Set(plainWords(end)).size >= WORDS ? { text: end, seq } : null;
}
