// JSON as a person reads it, from text that may end anywhere: the payload of a full context comes cut, and a parser would
// refuse it. Each value of an object or array gets a line of its own; empty ones stay on theirs. Pure.

export type IndentedLines = {
  readonly lines: readonly string[];
  /** The lines end before the text does. */
  readonly isCut: boolean;
};

/** A line of a message may be 100,000 characters long; the browser lays out one of 2,000 at once. */
export const LINE_CHARS = 2000;

/** At most `maxLines` lines. Strings stand as they are; long ones go on in lines of their own. */
export function indentJson(text: string, maxLines: number): IndentedLines {
  const lines: string[] = [];
  let line = "";
  let depth = 0;
  let at = 0;
  const end = () => {
    for (let from = 0; from === 0 || from < line.length; from += LINE_CHARS)
      lines.push(line.slice(from, from + LINE_CHARS));
    line = "";
  };
  const next = () => {
    end();
    line = "  ".repeat(Math.max(0, depth));
  };
  while (at < text.length && lines.length < maxLines) {
    const char = text[at] as string;
    if (char === '"') {
      const close = endOfString(text, at);
      line += text.slice(at, close);
      at = close;
      continue;
    }
    at++;
    if (char === "{" || char === "[") {
      const after = text[at];
      if (after === "}" || after === "]") {
        line += char + after;
        at++;
        continue;
      }
      depth++;
      line += char;
      next();
    } else if (char === "}" || char === "]") {
      depth--;
      next();
      line += char;
    } else if (char === ",") {
      line += char;
      next();
    } else if (char === ":") line += ": ";
    else if (char !== " " && char !== "\n" && char !== "\t" && char !== "\r") line += char;
  }
  if (line.trim() !== "" && lines.length < maxLines) end();
  return { lines: lines.slice(0, maxLines), isCut: at < text.length || lines.length > maxLines };
}

/** Behind the closing quote, or the end of the text. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
