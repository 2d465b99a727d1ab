// Statements compiled once for a connection. A small session file runs some forty that are not on the path of each event;
// compiling them anew for each file took a sixth of an import of 1,500 files.
import type { Statement } from "better-sqlite3";
import type { Sqlite } from "#db/connection.ts";

type Kept = { readonly rows: Map<string, Statement<unknown[]>>; readonly columns: Map<string, Statement<unknown[]>> };

const kept = new WeakMap<Sqlite, Kept>();

function keptOf(sqlite: Sqlite): Kept {
  let found = kept.get(sqlite);
  if (found === undefined) kept.set(sqlite, (found = { rows: new Map(), columns: new Map() }));
  return found;
}

/** The statement of a text that is always the same. */
export function prepared(sqlite: Sqlite, text: string): Statement<unknown[]> {
  const { rows } = keptOf(sqlite);
  let statement = rows.get(text);
  if (statement === undefined) rows.set(text, (statement = sqlite.prepare(text)));
  return statement;
}

/** The same, giving the first column alone. */
export function plucked(sqlite: Sqlite, text: string): Statement<unknown[]> {
  const { columns } = keptOf(sqlite);
  let statement = columns.get(text);
  if (statement === undefined) columns.set(text, (statement = sqlite.prepare(text).pluck()));
  return statement;
}
