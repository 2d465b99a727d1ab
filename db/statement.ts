// Statements, prepared once for a connection, with the type of the rows that they give. What is read is named as the schema
// names it, so that a row's type is inferred from there; in tests each statement's own columns are compared with it
// (testing-statements.ts). Compiling some forty statements anew for each small file took a sixth of an import of 1,500 files.
import type { Statement } from "better-sqlite3";
import type { Sqlite } from "./connection.ts";
import type { Rows } from "./schema.ts";

/** What an expression gives, where no column of a table does. */
type Kinds = { integer: number; real: number; text: string; blob: Buffer };

type Base = { [Table in keyof Rows]: `${Table}.${keyof Rows[Table] & string}` }[keyof Rows] | keyof Kinds;

/** `table.column` or the kind of an expression. `?`: it may be null here, by an outer join. `!`: the query leaves no null. */
export type Column = Base | `${Base}?` | `${Base}!`;

/** What a query gives: names of results. `"*"` stands for all columns of a table. */
export type Columns = Readonly<Record<string, Column | `${keyof Rows}.*`>>;

type BaseValue<Name> = Name extends keyof Kinds
  ? Kinds[Name]
  : Name extends `${infer Table extends keyof Rows}.${infer Key}`
    ? Rows[Table][Key & keyof Rows[Table]]
    : never;

export type ValueOf<Name> = Name extends `${infer Inner}?`
  ? BaseValue<Inner> | null
  : Name extends `${infer Inner}!`
    ? NonNullable<BaseValue<Inner>>
    : BaseValue<Name>;

export type RowOf<Given extends Columns> = {
  [Key in Exclude<keyof Given, "*">]: ValueOf<Given[Key]>;
} & (Given["*"] extends `${infer Table extends keyof Rows}.*` ? Rows[Table] : unknown);

/** Compares what a statement gives with what it is read as. Tests set it; nothing else does. */
export const inspection: {
  check: ((sqlite: Sqlite, statement: Statement<unknown[]>, given: Column | Columns) => void) | null;
} = { check: null };

const known = new WeakMap<
  Sqlite,
  { rows: Map<string, Statement<unknown[]>>; values: Map<string, Statement<unknown[]>> }
>();

/** Columns of a table under their own names, among others that a query gives. */
export const columns = <Table extends keyof Rows & string, const Key extends keyof Rows[Table] & string>(
  table: Table,
  ...keys: readonly Key[]
): { readonly [Name in Key]: `${Table}.${Name}` } =>
  // Object.fromEntries forgets the keys.
  Object.fromEntries(keys.map((key) => [key, `${table}.${key}`])) as { readonly [Name in Key]: `${Table}.${Name}` };

/** A statement that gives columns of one table under their own names. */
export function select<Table extends keyof Rows & string, const Key extends keyof Rows[Table] & string>(
  sqlite: Sqlite,
  table: Table,
  keys: readonly Key[],
  rest = "",
): Statement<unknown[], Pick<Rows[Table], Key>> {
  const { rows } = knownOf(sqlite);
  const text = `SELECT ${keys.join(", ")} FROM ${table} ${rest}`;
  let statement = rows.get(text);
  if (statement === undefined) {
    rows.set(text, (statement = sqlite.prepare(text)));
    inspection.check?.(sqlite, statement, Object.fromEntries(keys.map((key) => [key, `${table}.${key}` as Column])));
  }
  return statement as Statement<unknown[], Pick<Rows[Table], Key>>;
}

/** A statement that gives rows. A text that begins with FROM is given its list of columns. */
export function query<const Given extends Columns>(
  sqlite: Sqlite,
  columns: Given,
  text: string,
): Statement<unknown[], RowOf<Given>> {
  const { rows } = knownOf(sqlite);
  const key = text.startsWith("FROM") ? `SELECT ${listOf(columns)} ${text}` : text;
  let statement = rows.get(key);
  if (statement === undefined) {
    rows.set(key, (statement = sqlite.prepare(key)));
    inspection.check?.(sqlite, statement, columns);
  }
  return statement as Statement<unknown[], RowOf<Given>>;
}

/** A statement that gives one value of each row. */
export function scalar<const Given extends Column>(
  sqlite: Sqlite,
  column: Given,
  text: string,
): Statement<unknown[], ValueOf<Given>> {
  const { values } = knownOf(sqlite);
  const key = text.startsWith("FROM") ? `SELECT ${plain(column)} ${text}` : text;
  let statement = values.get(key);
  if (statement === undefined) {
    values.set(key, (statement = sqlite.prepare(key).pluck()));
    inspection.check?.(sqlite, statement, column);
  }
  return statement as Statement<unknown[], ValueOf<Given>>;
}

/** A statement that changes rows, or asks whether there is one. */
export function command(sqlite: Sqlite, text: string): Statement<unknown[]> {
  const { rows } = knownOf(sqlite);
  let statement = rows.get(text);
  if (statement === undefined) rows.set(text, (statement = sqlite.prepare(text)));
  return statement;
}

function knownOf(sqlite: Sqlite) {
  let found = known.get(sqlite);
  if (found === undefined) known.set(sqlite, (found = { rows: new Map(), values: new Map() }));
  return found;
}

const listOf = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, column]) => (name === "*" ? column : `${plain(column)} AS "${name}"`))
    .join(", ");

const plain = (column: string): string => column.replace(/[?!]$/, "");
