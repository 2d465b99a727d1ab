// What a page and the worker of its table tell each other. Each question has a number; its answer carries the same.
import type { Sort } from "./arrange.ts";
import type { Cap, Kind } from "./table-store.ts";

export type TableFormat = "csv" | "lines" | "list" | "values";

export type TableSource =
  | { readonly kind: "url"; readonly url: string; readonly format: TableFormat; readonly bytes: number }
  | { readonly kind: "text"; readonly text: string; readonly format: TableFormat };

/** Characters of a cell that a row shows; the chosen row shows it whole. */
export const CELL_CHARS = 160;

export type ColumnView = {
  readonly name: string;
  readonly type: "number" | "string" | "boolean" | "null" | "nested" | "mixed";
  /** Rows that have a value. */
  readonly filled: number;
  /** Pixels that most of its first cells fit into. */
  readonly width: number;
  /** The largest number, for its gauge; 0 when there is none over 0. */
  readonly max: number;
};

export type Progress = {
  readonly rows: number;
  readonly bytes: number;
  readonly columns: readonly ColumnView[];
  readonly isDone: boolean;
  readonly isStopped: boolean;
  readonly cap: Cap;
  readonly notes: readonly string[];
};

export type Cell = { readonly text: string; readonly kind: Kind; readonly isCut: boolean };
/** `row`: its position in what is stored, from 0. */
export type RowView = { readonly row: number; readonly cells: readonly Cell[] };
export type Field = { readonly name: string; readonly text: string; readonly kind: Kind };

/** What else the rows of a table can be asked. */
export type TableAsks = {
  /** A cell was pressed: by its column's name. Then the row's number opens the row. */
  readonly onCell: (name: string, cell: Cell) => void;
};

export type Questions = {
  arrange: {
    ask: { sort: Sort; query: string; filters: readonly { column: number; text: string }[] };
    answer: { count: number; ms: number };
  };
  rows: { ask: { from: number; to: number; columns: readonly number[] }; answer: { from: number; rows: RowView[] } };
  /** A row by its position in what is stored; `index` is where it is now, −1 when it is filtered out. */
  row: { ask: { row: number }; answer: { fields: Field[]; json: string; index: number } };
  csv: { ask: { columns: readonly number[] }; answer: { blob: Blob } };
};

/** A number and what it counts. */
export const count = (n: number, one: string, many: string): string =>
  `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`;
