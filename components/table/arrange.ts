// Which rows of a table are shown, and in what order. Pure; it lives in the worker.
import { KIND, type Column, type TableStore } from "./table-store.ts";

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
  return by && sort ? sorted(order, by, sort.dir) : order;
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

/** Numbers before texts, each in its order, equals as they stood; what is missing or null stays last in both directions. */
function sorted(order: Uint32Array, column: Column, dir: "asc" | "desc"): Uint32Array {
  const numbers: number[] = [];
  const texts: number[] = [];
  const missing: number[] = [];
  for (const row of order) {
    const kind = column.kindAt(row);
    if (kind === KIND.number) numbers.push(row);
    else if (kind === KIND.missing || kind === KIND.null) missing.push(row);
    else texts.push(row);
  }
  const sign = dir === "asc" ? 1 : -1;
  const values = column.numbers();
  const byNumber = Uint32Array.from(numbers).sort((a, b) => {
    const difference = (values[a] as number) - (values[b] as number);
    return sign * (difference || compareDigits(column.texts[a] as string, column.texts[b] as string)) || a - b;
  });
  const byText = rankTexts(texts, column.texts, sign);
  const parts = dir === "asc" ? [byNumber, byText] : [byText, byNumber];
  const all = new Uint32Array(order.length);
  let at = 0;
  for (const part of [...parts, missing]) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Small and large letters stand together; distinct texts are compared once, however often they occur. */
function rankTexts(rows: readonly number[], texts: readonly string[], sign: number): Uint32Array {
  const ranks = new Map<string, number>();
  for (const row of rows) ranks.set(texts[row] as string, 0);
  const distinct = [...ranks.keys()].map((text) => ({ text, lower: text.toLowerCase() }));
  distinct.sort((a, b) =>
    a.lower < b.lower ? -1 : a.lower > b.lower ? 1 : a.text < b.text ? -1 : a.text > b.text ? 1 : 0,
  );
  distinct.forEach(({ text }, rank) => ranks.set(text, rank));
  const keys = new Float64Array(rows.length);
  rows.forEach((row, i) => (keys[i] = ranks.get(texts[row] as string) as number));
  // Counted into place: rows of one rank keep their order.
  const starts = new Uint32Array(distinct.length + 1);
  const place = (key: number): number => (sign === 1 ? key : distinct.length - 1 - key);
  for (const key of keys) starts[place(key) + 1] = (starts[place(key) + 1] as number) + 1;
  for (let i = 1; i < starts.length; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number);
  const placed = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const at = place(keys[i] as number);
    placed[starts[at] as number] = rows[i] as number;
    starts[at] = (starts[at] as number) + 1;
  }
  return placed;
}

/** Numbers that a double cannot tell apart: 2^53+1 from 2^53, 1e400 from 1e401. */
export function compareDigits(a: string, b: string): number {
  if (a === b) return 0;
  const x = digitsOf(a);
  const y = digitsOf(b);
  if (x.sign !== y.sign) return x.sign - y.sign;
  if (x.sign === 0) return 0;
  const size = x.exponent - y.exponent || (x.digits < y.digits ? -1 : x.digits > y.digits ? 1 : 0);
  return Math.sign(size) * x.sign;
}

/** `sign` × 0.`digits` × 10^`exponent`. */
function digitsOf(text: string): { readonly sign: number; readonly digits: string; readonly exponent: number } {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/u.exec(text.trim());
  if (!match) return { sign: 0, digits: "", exponent: 0 };
  const [, sign, whole = "", part = "", power = "0"] = match;
  const all = whole + part;
  const zeros = /^0*/u.exec(all)?.[0].length ?? 0;
  const digits = all.slice(zeros).replace(/0+$/u, "");
  if (digits === "") return { sign: 0, digits: "", exponent: 0 };
  return { sign: sign === "-" ? -1 : 1, digits, exponent: whole.length - zeros + Number(power) };
}
