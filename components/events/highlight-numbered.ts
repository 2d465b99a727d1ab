// Colours for text that may have a read tool's line numbers before each line: the numbers keep their place, in
// the colour of a note, and the grammar sees the file's own text.
import type { HighlightAnswer } from "#lib/wire/artifacts-schema.ts";
import { highlight } from "../shared/highlight.ts";
import { numberedLines } from "./event-lines.ts";

const NOTE = ["#646a71", "#8c949c"] as const;

export async function highlightNumbered(text: string, language: string): Promise<HighlightAnswer> {
  const raw = text.split("\n");
  const lines = numberedLines(text);
  const coloured = await highlight(lines.map((line) => line.text).join("\n"), language);
  return {
    ...coloured,
    lines: coloured.lines.map((spans, i) => {
      const whole = (raw[i] ?? "").replace(/\r$/u, "");
      const before = whole.slice(0, whole.length - (lines[i]?.text.length ?? 0));
      return lines[i]?.number == null || before === "" ? spans : [[before, ...NOTE], ...spans];
    }),
  };
}
