// Matches that a query finds, as rows of the index: filtered, counted and ranked there. Text is read of those alone that are shown.
import type { Sqlite } from "#db/connection.ts";
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import type { FilterOf, SearchFilter } from "#lib/kernel/search/search-filter.ts";
import type { MatchExpression } from "#lib/kernel/search/match-expression.ts";
import type { MarkRows } from "./searched-sessions.ts";
import { IS_ERROR } from "./fill-index.ts";

export type Match = {
  readonly id: number;
  readonly session: number;
  readonly seq: number;
  readonly piece: number;
  readonly kind: number;
  readonly tool: number;
  readonly ts: number | null;
  readonly tokens: number;
  readonly flags: number;
  /** bm25: the lower, the better. */
  readonly score: number;
};

export type Where = { readonly sql: string; readonly values: readonly unknown[] };

type FilterMore = {
  /** Where the marks are that each filter asks for. */
  readonly marks: ReadonlyMap<SearchFilter, MarkRows>;
  /** In stored outputs alone. */
  readonly isStored?: boolean;
  /** What else has to hold. */
  readonly words?: readonly Where[];
};

/** What filters ask of a match itself. */
export function matchFilter(
  filters: readonly SearchFilter[],
  sessions: ReadonlySet<number> | null,
  tools: ReadonlyMap<string, number>,
  { marks, isStored = false, words = [] }: FilterMore,
): Where {
  const parts: Where[] = [];
  const add = (sql: string, ...values: unknown[]): void => void parts.push({ sql, values });
  if (sessions !== null) add("d.session IN (SELECT value FROM json_each(?))", JSON.stringify([...sessions]));
  if (isStored) add("d.piece > 0");
  const kinds = oneOf(filters, "type", ({ kinds: named }) => named.map((kind) => SEARCH_KINDS.indexOf(kind)));
  const named = oneOf(filters, "tool", ({ value }) => toolsNamed(value, tools));
  for (const [column, { any, none }] of [
    ["kind", kinds],
    ["tool", named],
  ] as const) {
    if (any !== null) add(`d.${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(any));
    if (none.length > 0) add(`d.${column} NOT IN (SELECT value FROM json_each(?))`, JSON.stringify(none));
  }
  for (const filter of filters) {
    const no = filter.not ? "NOT " : "";
    const rows = marks.get(filter);
    if (rows !== undefined)
      add(
        `${no}(d.session IN (SELECT value FROM json_each(?)) OR d.session * 4294967296 + d.seq IN (SELECT value FROM json_each(?)))`,
        JSON.stringify([...rows.sessions]),
        JSON.stringify([...rows.events]),
      );
    else if (filter.field === "is") add(`${no}(d.flags & ${IS_ERROR} <> 0)`);
    else if (filter.field === "tokens") add(`${no}(d.tokens ${filter.op} ?)`, filter.amount);
    // What has no time is neither.
    else if (filter.field === "after") add(`${no}coalesce(d.ts >= ?, 0)`, filter.at);
    else if (filter.field === "before") add(`${no}coalesce(d.ts < ?, 0)`, filter.at);
  }
  parts.push(...words);
  return { sql: parts.map(({ sql }) => ` AND ${sql}`).join(""), values: parts.flatMap(({ values }) => values) };
}

function oneOf<Name extends "type" | "tool">(
  filters: readonly SearchFilter[],
  field: Name,
  keys: (filter: FilterOf<Name>) => readonly number[],
): { any: number[] | null; none: number[] } {
  const own = filters.filter((filter): filter is FilterOf<Name> & SearchFilter => filter.field === field);
  const wanted = own.filter(({ not }) => !not);
  return { any: wanted.length === 0 ? null : wanted.flatMap(keys), none: own.filter(({ not }) => not).flatMap(keys) };
}

/** A name is a tool's own, or with `*` the beginning of some; an MCP server's tool goes by its last part too. */
function toolsNamed(value: string, tools: ReadonlyMap<string, number>): number[] {
  const name = value.toLowerCase();
  const begin = name.endsWith("*") ? name.slice(0, -1) : null;
  return [...tools].flatMap(([tool, key]) => {
    const lower = tool.toLowerCase();
    const isNamed = begin === null ? lower === name || lower.endsWith(`__${name}`) : lower.startsWith(begin);
    return isNamed ? [key] : [];
  });
}

export const toolKeys = (index: Sqlite): ReadonlyMap<string, number> =>
  new Map(
    (index.prepare("SELECT name, pk FROM tools").all() as { name: string; pk: number }[]).map((row) => [
      row.name,
      row.pk,
    ]),
  );

const COLUMNS = "d.id, d.session, d.seq, d.piece, d.kind, d.tool, d.ts, d.tokens, d.flags";

const fromOf = ({ match, without }: MatchExpression): { from: string; values: string[] } =>
  match !== null
    ? { from: "words JOIN docs d ON d.id = words.rowid WHERE words MATCH ?", values: [match] }
    : without !== null
      ? { from: "docs d WHERE d.id NOT IN (SELECT rowid FROM words WHERE words MATCH ?)", values: [without] }
      : { from: "docs d WHERE 1", values: [] };

type MatchRow = [
  id: number,
  session: number,
  seq: number,
  piece: number,
  kind: number,
  tool: number,
  ts: number | null,
  tokens: number,
  flags: number,
];

/** Each match, the newest first. */
export function eachMatch(
  index: Sqlite,
  expression: MatchExpression,
  where: Where,
  most: number,
): IterableIterator<MatchRow> {
  const { from, values } = fromOf(expression);
  const order = expression.match === null ? "d.id" : "words.rowid";
  return index
    .prepare(`SELECT ${COLUMNS} FROM ${from}${where.sql} ORDER BY ${order} DESC LIMIT ?`)
    .raw()
    .iterate(...values, ...where.values, most) as IterableIterator<MatchRow>;
}

export const matchOf = ([id, session, seq, piece, kind, tool, ts, tokens, flags]: MatchRow): Match => ({
  ...{ id, session, seq, piece, kind, tool, ts, tokens, flags },
  score: 0,
});

/** A word in the text counts twice as much as in the parts of a name, and a file's path more than both. */
const BM25 = "bm25(words, 1.0, 0.5, 3.0)";

/** The scores of matches from one on. */
export function scoresFrom(
  index: Sqlite,
  expression: MatchExpression,
  where: Where,
  first: number,
): ReadonlyMap<number, number> {
  const { from, values } = fromOf(expression);
  const rows = index.prepare(`SELECT d.id, ${BM25} FROM ${from} AND words.rowid >= ?${where.sql}`).raw();
  return new Map(rows.all(...values, first, ...where.values) as [number, number][]);
}

/** Sessions with a match, with how many events of theirs fit and the first of them. */
export const eachSessionFound = (index: Sqlite, expression: MatchExpression, where: Where) => {
  const { from, values } = fromOf(expression);
  return index
    .prepare(
      `SELECT d.session, count(DISTINCT d.seq), min(CASE WHEN d.kind <> ${MEMORY} THEN d.seq END) FROM ${from}${where.sql} GROUP BY d.session`,
    )
    .raw()
    .iterate(...values, ...where.values) as IterableIterator<[number, number, number | null]>;
};

/** The newest match of each session, and how many of its events fit; the newest session first. */
export function newestOfSessions(index: Sqlite, expression: MatchExpression, where: Where) {
  const { from, values } = fromOf(expression);
  const rows = index
    .prepare(
      `SELECT max(d.id), d.session, d.seq, d.piece, d.kind, d.tool, d.ts, d.tokens, d.flags, count(DISTINCT d.seq) FROM ${from}${where.sql} GROUP BY d.session ORDER BY 1 DESC`,
    )
    .raw()
    .all(...values, ...where.values) as [...MatchRow, events: number][];
  return rows.map((row) => ({ match: matchOf(row.slice(0, -1) as MatchRow), events: row.at(-1) as number }));
}

const MEMORY = SEARCH_KINDS.indexOf("memory");
