// Lines of failed results that tell of an error, as they stood there, each once.
import { commandKey, isErrorLine } from "./evidence-lists.ts";
import { clipped, oneLine } from "./line-text.ts";
import type { Piece } from "./piece.ts";

export type ErrorLine = { readonly text: string; readonly piece: Piece; readonly line: number };

const LINE_CHARS = 160;

/** The first line of every failure before the second of any; the latest failure first. */
export function errorLines(pieces: readonly Piece[]): ErrorLine[] {
  const lines = new Map<string, ErrorLine & { readonly rank: number }>();
  for (const piece of pieces.toReversed()) {
    if (piece.kind !== "tool_result" || !piece.isError) continue;
    let rank = 0;
    for (const [i, line] of piece.text.split("\n").entries()) {
      if (!isErrorLine(line)) continue;
      const key = commandKey(line);
      // The latest position of a line that stands in several failures.
      if (lines.has(key)) continue;
      lines.set(key, { text: clipped(oneLine(line), LINE_CHARS), piece, line: i + 1, rank: rank++ });
    }
  }
  return [...lines.values()].toSorted((a, b) => a.rank - b.rank || b.piece.seq - a.piece.seq || a.line - b.line);
}
