// Which rows of a table are shown, and in what order. Pure; it lives in the worker.
import { byRank, ranksOf } from "./ranks.ts";
import type { Column, TableStore } from "./table-store.ts";

export type Sort = { readonly column: number; readonly dir: "asc" | "desc" } | null;

export type Arrangement = {
  readonly sort: Sort;
  /** Anywhere in the row. */
  readonly query: string;
  /** In one column: `text`, `!text`, `=text`, `!=text`, `>10`, `>=10`, `<10`, `<=10`. */
  readonly filters: readonly { readonly column: number; readonly text: string }[];
};

/** The rows that are left, in their order. */
export function arrange(store: TableStore, { sort, query, filters }: Arrangement): Uint32Array {
  const kept = new Uint8Array(store.rows).fill(1);
  for (const { column, text } of filters) {
    const cells = store.columns[column];
    if (cells && text !== "") keepWhere(kept, cells, conditionOf(text));
  }
  if (query !== "") keepQuery(kept, store.columns, query.toLowerCase());
  let count = 0;
  for (const one of kept) count += one;
  const order = new Uint32Array(count);
  for (let row = 0, at = 0; row < kept.length; row++) if (kept[row] === 1) order[at++] = row;
  const by = sort === null ? undefined : store.columns[sort.column];
  return by && sort ? byRank(order, store.ranks(by, ranksOf), sort.dir) : order;
}

type Condition =
  | { readonly kind: "has" | "is"; readonly not: boolean; readonly text: string }
  | { readonly kind: "number"; readonly holds: (number: number) => boolean };

const COMPARED = /^(>=|<=|>|<)\s*([+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)$/u;

export function conditionOf(text: string): Condition {
  const compared = COMPARED.exec(text.trim());
  if (compared) {
    const bound = Number((compared[2] ?? "").replaceAll(",", ""));
    const sign = compared[1];
    if (sign === ">") return { kind: "number", holds: (n) => n > bound };
    if (sign === ">=") return { kind: "number", holds: (n) => n >= bound };
    if (sign === "<") return { kind: "number", holds: (n) => n < bound };
    return { kind: "number", holds: (n) => n <= bound };
  }
  const not = text.startsWith("!");
  const rest = not ? text.slice(1) : text;
  return rest.startsWith("=")
    ? { kind: "is", not, text: rest.slice(1).trim().toLowerCase() }
    : { kind: "has", not, text: rest.toLowerCase() };
}

function keepWhere(kept: Uint8Array, column: Column, condition: Condition): void {
  const { texts } = column;
  if (condition.kind === "number") {
    const numbers = column.numbers();
    for (let row = 0; row < kept.length; row++)
      if (kept[row] === 1 && !condition.holds(row < numbers.length ? (numbers[row] as number) : Number.NaN))
        kept[row] = 0;
    return;
  }
  const { kind, not, text } = condition;
  // A cell holds the text or not; the same text again is not looked at again.
  let last: string | null = null;
  let holds = false;
  for (let row = 0; row < kept.length; row++) {
    if (kept[row] === 0) continue;
    const cell = texts[row] ?? "";
    if (cell !== last) {
      const lower = cell.toLowerCase();
      holds = (kind === "is" ? lower === text : lower.includes(text)) !== not;
      last = cell;
    }
    if (!holds) kept[row] = 0;
  }
}

function keepQuery(kept: Uint8Array, columns: readonly Column[], query: string): void {
  const found = new Uint8Array(kept.length);
  for (const { texts } of columns) {
    const rows = Math.min(texts.length, kept.length);
    for (let row = 0; row < rows; row++) {
      if (found[row] === 1 || kept[row] === 0) continue;
      const cell = texts[row] as string;
      if (cell.length >= query.length && cell.toLowerCase().includes(query)) found[row] = 1;
    }
  }
  for (let row = 0; row < kept.length; row++) if (found[row] === 0) kept[row] = 0;
}
