// What a page is told of a column. Pure; it lives in the worker.
import { KIND, type Column } from "./table-store.ts";
import type { ColumnView } from "./table-words.ts";

/** Rows whose cells say how wide a column is. */
const MEASURED_ROWS = 200;
const LEAST_PX = 72;
const MOST_PX = 320;
/** A character of Inter at 13 px, one of its tabular digits, and what stands around it. */
const CHAR_PX = 7;
const DIGIT_PX = 8.2;
const PADDING_PX = 24;

export function columnView(column: Column, isDone: boolean): ColumnView {
  const type = typeOf(column);
  return {
    name: column.name,
    type,
    filled: column.counts.reduce((sum, count, kind) => (kind === KIND.missing ? sum : sum + count), 0),
    width: widthOf(column, type),
    max: isDone && (type === "number" || type === "mixed") ? maxOf(column) : 0,
  };
}

function typeOf({ counts }: Column): ColumnView["type"] {
  const count = (kind: number): number => counts[kind] ?? 0;
  const found: ColumnView["type"][] = [];
  if (count(KIND.number) > 0) found.push("number");
  if (count(KIND.text) + count(KIND.broken) > 0) found.push("string");
  if (count(KIND.boolean) > 0) found.push("boolean");
  if (count(KIND.nested) > 0) found.push("nested");
  if (found.length === 0) return count(KIND.null) > 0 ? "null" : "string";
  return found.length === 1 ? (found[0] as ColumnView["type"]) : "mixed";
}

/** Nine in ten of the first cells fit, of numbers all; the head with its type always does, within reason. */
function widthOf(column: Column, type: string): number {
  const lengths = column.texts
    .slice(0, MEASURED_ROWS)
    .map((text) => text.length)
    .sort((a, b) => a - b);
  const isNumber = type === "number";
  const chars = (isNumber ? lengths.at(-1) : lengths[Math.floor(lengths.length * 0.9)]) ?? 0;
  const head = column.name.length + type.length + 3;
  const px = Math.max(chars * (isNumber ? DIGIT_PX : CHAR_PX), head * CHAR_PX) + PADDING_PX;
  return Math.round(Math.min(MOST_PX, Math.max(LEAST_PX, px)));
}

function maxOf(column: Column): number {
  let max = 0;
  for (const number of column.numbers()) if (number > max && number < Number.POSITIVE_INFINITY) max = number;
  return max;
}
