// Rows of a CSV file as objects by the names of its first row, each with its bytes. A cell in quotes may hold line ends.
import Papa from "papaparse";
import type { Json } from "../json.ts";

export type CsvRow = { readonly value: Json; readonly from: number; readonly to: number };

const [QUOTE, LF] = [0x22, 0x0a];
const utf8 = new TextDecoder();

/** The names in the first row, as far as a head goes. */
export const csvNames = (head: Uint8Array): readonly string[] => cellsOf(head, 0, endOfRow(head, 0) ?? head.length);

/** Rows with a cell at least; the last one is no row where its end is missing: `rest` is where it begins. */
export function csvRows(bytes: Uint8Array): { readonly rows: readonly CsvRow[]; readonly rest: number } {
  const first = endOfRow(bytes, 0);
  if (first === null) return { rows: [], rest: 0 };
  const names = cellsOf(bytes, 0, first);
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

/** Where the row that begins here ends; null where a quote is open to the end of the file. */
function endOfRow(bytes: Uint8Array, from: number): number | null {
  let isQuoted = false;
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) isQuoted = !isQuoted;
    else if (bytes[at] === LF && !isQuoted) return at;
  }
  return isQuoted ? null : bytes.length;
}

function cellsOf(bytes: Uint8Array, from: number, to: number): readonly string[] {
  const text = utf8.decode(bytes.subarray(from, to)).replace(/\r$/, "");
  return Papa.parse<string[]>(text, { delimiter: "," }).data[0] ?? [];
}
