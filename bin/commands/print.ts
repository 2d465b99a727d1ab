// Printing for a person. Text from transcripts is shown, never obeyed: control characters do not reach the terminal.
import { exactly } from "#lib/kernel/exactly.ts";

/** Text with its control, bidi and invisible characters as their code points. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) =>
    found === "\n" || found === "\t"
      ? found
      : `<U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}

export const oneLine = (text: string, chars: number): string => {
  const line = plain(text.replace(/\s+/g, " ").trim());
  return line.length > chars ? `${line.slice(0, chars - 1)}…` : line;
};

export const count = (value: number | null): string => (value === null ? "–" : exactly(value));
/** `1 file`, `2 files`. */
export const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  const unit = value < 1e6 ? "kB" : value < 1e9 ? "MB" : "GB";
  const scaled = value / { kB: 1e3, MB: 1e6, GB: 1e9 }[unit];
  return `${scaled >= 100 ? scaled.toFixed(0) : scaled.toFixed(1)} ${unit}`;
}

/** The mark of a number's origin: reported plain, counted ·, estimated ~. */
export const marked = (value: number | null, origin: string | null): string =>
  value === null
    ? "–"
    : origin === "estimated"
      ? `~${count(value)}`
      : origin === "counted"
        ? `${count(value)}·`
        : count(value);

/** Writes how far it is over what it wrote last; nothing where nobody looks. An empty text takes the line away. */
export function printProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

export const printJson = (value: unknown): void => console.log(JSON.stringify(value));

/** Columns, the first left and the others right unless told. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  left: ReadonlySet<number> = new Set([0]),
): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (left.has(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join("  ")
      .trimEnd();
  return [line(head), ...rows.map(line)].join("\n");
}
