// What a hand does to the lines of a summary. Pure; a line that is not touched keeps its events.
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";

export type SummaryLine = { readonly text: string; readonly seqs: readonly number[] };
export type LineEdit =
  | { readonly do: "change"; readonly at: number; readonly text: string }
  | { readonly do: "remove"; readonly at: number }
  /** A new line behind this one. */
  | { readonly do: "add"; readonly at: number }
  | { readonly do: "move"; readonly at: number; readonly by: 1 | -1 };

export const linesOf = ({ lines }: Pick<CompactAnswer, "lines">): readonly SummaryLine[] =>
  lines.map(({ text, seqs }) => ({ text, seqs }));

/** The lines after an edit; the same list where it changes nothing. The last line stays: a summary is never empty. */
export function editLines(lines: readonly SummaryLine[], edit: LineEdit): readonly SummaryLine[] {
  const { at } = edit;
  const line = lines[at];
  if (line === undefined) return lines;
  switch (edit.do) {
    case "change":
      return edit.text === line.text ? lines : lines.with(at, { ...line, text: edit.text });
    case "remove":
      return lines.length === 1 ? lines : lines.toSpliced(at, 1);
    case "add":
      return lines.toSpliced(at + 1, 0, { text: "- ", seqs: [] });
    case "move": {
      const to = at + edit.by;
      const other = lines[to];
      return other === undefined ? lines : lines.with(at, other).with(to, line);
    }
  }
}
