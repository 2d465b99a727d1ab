// Rows of a database as records: `{"table":…,"row":{…}}`, one a line, the row of the session first.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Draft, SourceRecord, Tables } from "#lib/kernel/draft.ts";
import { asObject, asText, clip, isObject, type Json } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";
import { eventOf } from "./qwen/qwen-drafts.ts";
import { firstLineValue } from "./json-parts.ts";

export type TableRow = { readonly table: string; readonly row: Json };

const isRow = (value: unknown): boolean => rowOf(value) !== null;

function rowOf(value: unknown): TableRow | null {
  if (!isObject(value) || !isObject(value["row"])) return null;
  const table = asText(value["table"]);
  return table === null ? null : { table, row: value["row"] };
}

/** Drafts of one line. What is no row, or of a table that `draftsOf` does not know (null), is an event that says so. */
export function rowRecord(record: SourceRecord, draftsOf: (row: TableRow) => readonly Draft[] | null): Draft[] {
  return draftsOfLine(record, isRow, (value) => {
    const known = rowOf(value);
    return (known === null ? null : draftsOf(known)) ?? [unknownRow(value)];
  });
}

function unknownRow(value: unknown): Draft {
  const known = rowOf(value);
  const reason =
    known === null
      ? "The line is not a row of a database."
      : `A row of the table "${clip(known.table, 60)}", which is not known.`;
  const text = clip(jsonText(known === null ? value : asObject(known.row)), 1000);
  return eventOf({ ts: null, key: null }, { type: "unknown", reason, text });
}

const ROW_START = new TextEncoder().encode('{"table":');

/** A line of a database's rows, for a format whose files are lines too. Before it may stand a run of NUL, or the start of another. */
export function isRowLine(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) {
    if (ROW_START.every((byte, i) => bytes[at + i] === byte)) return true;
    if (bytes[at]! > 0x20 && !ROW_START.includes(bytes[at]!)) return false;
  }
  return false;
}

/** The row that a source begins with, if it is one of this table. */
export function firstRow(head: Uint8Array, table: string): Json | null {
  const known = rowOf(firstLineValue(head));
  return known?.table === table ? known.row : null;
}

/** What a database lacks of the columns that are asked for; null where it has them all. */
export function missingColumns(tables: Tables, needed: Readonly<Record<string, readonly string[]>>): string | null {
  for (const [table, columns] of Object.entries(needed)) {
    const missing = columns.filter((column) => tables.get(table)?.includes(column) !== true);
    if (missing.length > 0) return `The table "${table}" has no ${missing.join(", ")}.`;
  }
  return null;
}

/** Those of the columns that the table has, for a query. */
export const columnsOf = (tables: Tables, table: string, columns: readonly string[], prefix = ""): string =>
  columns
    .filter((column) => tables.get(table)?.includes(column) === true)
    .map((column) => prefix + column)
    .join(", ");

/** The column for an expression, NULL where the table has none. */
export const columnOrNull = (tables: Tables, table: string, column: string, prefix = ""): string =>
  tables.get(table)?.includes(column) === true ? prefix + column : "NULL";

/** The JSON of a column as text: some releases store it as bytes, or as SQLite has it inside. */
export const jsonColumn = (column: string): string => {
  const bytes = `coalesce(zstd_text(${column}), ${column})`;
  return `CASE WHEN typeof(${column}) <> 'blob' THEN ${column} WHEN json_valid(${column}, 8) THEN json(${column}) ELSE ${bytes} END`;
};
