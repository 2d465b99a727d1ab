// The lines of a text that a finder finds something in, as a search of the server lists them. Pure.
import type { GrepLine } from "../grep/grep-search.ts";
import type { Finder } from "../lines/finder.ts";

/** Characters of a line that are shown. */
const LINE_CHARS = 2000;

export function matchingLines(text: string, finder: Finder): GrepLine[] {
  const lines = text.replace(/\n$/u, "").split("\n");
  return lines.flatMap((line, at): GrepLine[] => {
    const first = finder.find(line, 1)[0];
    if (first === undefined) return [];
    const start = first[0] < LINE_CHARS / 2 ? 0 : first[0] - LINE_CHARS / 4;
    const shown = line.slice(start, start + LINE_CHARS).toWellFormed();
    return [{ line: at + 1, isContext: false, start, text: shown, cut: shown.length < line.length }];
  });
}
