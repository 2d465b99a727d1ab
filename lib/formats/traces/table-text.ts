// Rows of a CSV file as objects by the names of its first row, each with its bytes. A cell in quotes may hold line ends.
import type { Json } from "../json.ts";

export type CsvRow = { readonly value: Json; readonly from: number; readonly to: number };

const [QUOTE, COMMA, LF] = [0x22, 0x2c, 0x0a];
const utf8 = new TextDecoder();

/** The names in the first row, as far as a head goes. */
export function csvNames(head: Uint8Array): readonly string[] {
  const from = firstCell(head);
  return cellsOf(head, from, endOfRow(head, from) ?? head.length);
}

/** Rows with a cell at least; the last one is no row where its end is missing: `rest` is where it begins. */
export function csvRows(bytes: Uint8Array): { readonly rows: readonly CsvRow[]; readonly rest: number } {
  const start = firstCell(bytes);
  const first = endOfRow(bytes, start);
  if (first === null) return { rows: [], rest: 0 };
  const names = cellsOf(bytes, start, first);
  const rows: CsvRow[] = [];
  for (let from = first + 1; from < bytes.length;) {
    const to = endOfRow(bytes, from);
    if (to === null) return { rows, rest: from };
    const cells = cellsOf(bytes, from, to);
    const pairs = cells.flatMap((cell, i) =>
      cell === "" || names[i] === undefined ? [] : [[names[i], cell] as const],
    );
    if (pairs.length > 0) rows.push({ value: Object.fromEntries(pairs), from, to });
    from = to + 1;
  }
  return { rows, rest: bytes.length };
}

/** Behind blank lines and a byte order mark. */
function firstCell(bytes: Uint8Array): number {
  const at = bytes.findIndex((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
  return at < 0 ? bytes.length : at;
}

/** Where the row that begins here ends; null where a quote is open to the end of the file. */
function endOfRow(bytes: Uint8Array, from: number): number | null {
  let isQuoted = false;
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) isQuoted = !isQuoted;
    else if (bytes[at] === LF && !isQuoted) return at;
  }
  return isQuoted ? null : bytes.length;
}

/** A cell in quotes holds a quote as two. */
function cellsOf(bytes: Uint8Array, from: number, to: number): readonly string[] {
  const cells: string[] = [];
  for (let at = from; at <= to;) {
    const isQuoted = bytes[at] === QUOTE;
    let end = at + (isQuoted ? 1 : 0);
    if (isQuoted)
      while (end < to && (bytes[end] !== QUOTE || bytes[end + 1] === QUOTE)) end += bytes[end] === QUOTE ? 2 : 1;
    while (end < to && bytes[end] !== COMMA) end++;
    const text = utf8.decode(bytes.subarray(at, end)).replace(/\r$/, "");
    cells.push(isQuoted ? text.replace(/^"|"$/g, "").replaceAll('""', '"') : text);
    at = end + 1;
  }
  return cells;
}
