// A table as other programs take it: a row as JSON, rows as CSV. Pure; it lives in the worker.
import { KIND, type Column, type Kind, type TableStore } from "./table-store.ts";

/** The JSON of one row. Numbers and nested values are as they are written. */
export function rowJson(store: TableStore, row: number): string {
  const members: string[] = [];
  for (const column of store.columns) {
    const kind = column.kindAt(row);
    if (kind !== KIND.missing) members.push(`${JSON.stringify(column.name)}:${cellJson(column, row, kind)}`);
  }
  return `{${members.join(",")}}`;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

function cellJson(column: Column, row: number, kind: Kind): string {
  const text = column.texts[row] as string;
  if (kind === KIND.text || kind === KIND.broken) return JSON.stringify(text);
  // CSV knows numbers that JSON does not: 007, +1, .5.
  if (kind === KIND.number && !JSON_NUMBER.test(text)) return JSON.stringify(text);
  return text;
}

/** A spreadsheet runs what begins like this; an apostrophe before it makes it text. Numbers are left as they are. */
const FORMULA = /^[=+\-@\t\r]/u;

export function csvCell(text: string, kind: Kind): string {
  const safe = kind !== KIND.number && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows per piece of a download: some 100 kB. */
const PIECE_ROWS = 1000;

/** RFC 4180, in pieces. */
export function* csvOf(store: TableStore, order: Uint32Array, columns: readonly number[]): Generator<string> {
  const shown = columns.flatMap((at) => store.columns[at] ?? []);
  yield `${shown.map((column) => csvCell(column.name, KIND.text)).join(",")}\r\n`;
  for (let from = 0; from < order.length; from += PIECE_ROWS) {
    const lines: string[] = [];
    for (const row of order.subarray(from, from + PIECE_ROWS))
      lines.push(shown.map((column) => csvCell(column.texts[row] ?? "", column.kindAt(row))).join(","));
    yield `${lines.join("\r\n")}\r\n`;
  }
}
