// Text of a read tool as lines, its numbers apart.

export type NumberedLine = { readonly number: number | null; readonly text: string };

/** `   12→text` and `12\ttext`, as read tools write them: the number apart, the text as it is in the file. */
export function numberedLines(text: string): NumberedLine[] {
  const lines = text.split("\n");
  const parsed = lines.map((line) => {
    const match = /^ {0,8}(\d{1,8})(?:→|\t)(.*)$/u.exec(line.endsWith("\r") ? line.slice(0, -1) : line);
    return match ? { number: Number(match[1]), text: match[2] ?? "" } : { number: null, text: line };
  });
  // Fewer than half with a number: these are the file's own lines, not a tool's.
  const numbered = parsed.filter((line) => line.number !== null).length;
  return numbered * 2 >= lines.length ? parsed : lines.map((text) => ({ number: null, text }));
}
