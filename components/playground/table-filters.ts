// What a cell of a result's table adds to the program, and what its row is looked up by. Pure.
import { filterOf } from "#lib/kernel/jq/extend-program.ts";
import { jqString } from "#lib/kernel/shape-tree/shape-path.ts";
import { KIND } from "../table/table-store.ts";
import type { Cell, Field } from "../table/table-words.ts";

/** How the rows stand in the output: one list or one value each; objects, lists or plain values. */
type RowsOf = { readonly isList: boolean; readonly opener: string };

export function rowsOf(text: string, values: number): RowsOf {
  const isList = values === 1 && /^\s*\[/u.test(text);
  const first = isList ? /^\s*\[\s*(\S)/u.exec(text)?.[1] : /^\s*(\S)/u.exec(text)?.[1];
  return { isList, opener: first ?? "" };
}

/** `select(.status == "failed")`, of the elements where the output is one list; null for what is no JSON. */
export function cellFilter({ isList, opener }: RowsOf, name: string, cell: Cell): string | null {
  const path = opener === "{" ? filterOf({ path: [name], value: null }) : opener === "[" ? `.[${name}]` : ".";
  if (cell.kind === KIND.broken) return null;
  if (cell.kind === KIND.nested) return isList ? `.[] | ${path}` : path;
  const condition = conditionOf(path, name, cell);
  return isList ? `map(select(${condition}))` : `select(${condition})`;
}

function conditionOf(path: string, name: string, { text, kind, isCut }: Cell): string {
  if (kind === KIND.missing) return path.startsWith(".[") ? `${path} == null` : `has(${jqString(name)}) | not`;
  if (kind !== KIND.text) return `${path} == ${kind === KIND.null ? "null" : text}`;
  // A cell has the beginning of a long text.
  return isCut ? `${path} | startswith(${jqString(text)})` : `${path} == ${jqString(text)}`;
}

/** Texts and numbers of a row as JSON, the longest first. */
export const literalsOf = (fields: readonly Field[]): string[] =>
  fields
    .filter(({ kind, text }) => kind === KIND.number || (kind === KIND.text && text !== ""))
    .map(({ kind, text }) => (kind === KIND.text ? JSON.stringify(text) : text))
    .toSorted((a, b) => b.length - a.length);
