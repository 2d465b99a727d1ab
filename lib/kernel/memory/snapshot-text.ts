// Lines of the snapshot text. What is put into them was written by users, tools and models: it is data. A line of it
// that looks like one of our headings is moved in, so that it cannot begin a section.

const TRUNCATED = " …[truncated]";

/** At most `maxChars` (UTF-16 units), the mark included; never half of a pair. */
export function clampLine(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, Math.max(0, maxChars - TRUNCATED.length)).replace(/[\uD800-\uDBFF]$/, "")}${TRUNCATED}`;
}

/** A text behind its mark; further lines stand further in than any heading. Each line is clamped for itself. */
export function item(mark: string, text: string, maxChars: number): string {
  const [first = "", ...rest] = text.trim().split(/\r\n|[\n\r\u2028\u2029]/);
  const indent = " ".repeat(Math.max(2, mark.length - mark.trimStart().length + 2));
  return [
    `${mark}${clampLine(first, maxChars)}`,
    ...rest.map((line) => (line.trim() === "" ? "" : `${indent}${clampLine(line, maxChars)}`)),
  ].join("\n");
}

/** A heading with what stands below it; nothing where nothing does. */
export const section = (heading: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [[heading, ...lines].join("\n")];
