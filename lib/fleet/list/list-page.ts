// The rows of a page of the list. Each column has one index, which is read both ways: so of sessions that are equal the order goes
// with the direction. Sessions without a value come last in both.
import { parseSearch, wordsOfQuery } from "#lib/kernel/search/search-query.ts";
import type { SessionRow, SessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { listed, listTable, type ListFilters } from "./list-filters.ts";

type Sort = SessionsQuery["sort"];

/** Columns of the narrow rows, and whether they may be empty. */
const SORTS: Readonly<Record<Sort, readonly [column: string, mayBeEmpty: boolean]>> = {
  active: ["ended_at", true],
  started: ["started_at", true],
  title: ["name", false],
  turns: ["turns", false],
  calls: ["calls", false],
  peak: ["peak_share", true],
  compactions: ["compactions", false],
  artifacts: ["artifacts", false],
  cost: ["usd", true],
  avoidable: ["avoidable_usd", true],
};

export type PageRow = { readonly project: string; readonly row: SessionRow; readonly ended_at: number | null };
export type Group = { readonly project: string; readonly sessions: number };

/** `groups`: all projects in their order, where the list is grouped by them. */
export async function listPage(
  fleet: Fleet,
  filters: ListFilters,
  groups: readonly Group[] | null,
): Promise<readonly PageRow[]> {
  const { query } = filters;
  const [offset, limit] = [query.offset, query.limit];
  if (groups !== null) return groupedPage(fleet, filters, groups);
  if (!filters.isNarrow) return widePage(fleet, filters);
  const rows: PageRow[] = [];
  let skipped = offset;
  for (const part of partsOf(fleet, filters)) {
    const found = await partRows(fleet, filters, part, { offset: skipped, limit: limit - rows.length });
    rows.push(...found);
    if (rows.length === limit) break;
    // How long a part is matters to a page that begins behind its end.
    if (found.length === 0 && skipped > 0) skipped -= await partLength(fleet, filters, part);
    else skipped = 0;
  }
  return rows;
}

/** Rows that stand together, in the order of an index. */
type Part = { readonly where: Fragment; readonly order: string };

function partsOf({ sql }: Pick<Fleet, "sql">, { query, runningSince }: ListFilters): Part[] {
  const [column, mayBeEmpty] = SORTS[query.sort];
  const sorted: Part[] =
    query.dir === "desc"
      ? [{ where: sql`true`, order: `s.${column} DESC NULLS LAST, s.id DESC` }]
      : [
          {
            where: mayBeEmpty ? sql`s.${sql(column)} IS NOT NULL` : sql`true`,
            order: `s.${column} ASC NULLS FIRST, s.id ASC`,
          },
          ...(mayBeEmpty
            ? [{ where: sql`s.${sql(column)} IS NULL`, order: `s.${column} DESC NULLS LAST, s.id DESC` }]
            : []),
        ];
  if (query.pin !== "running") return sorted;
  const running = sql`s.ended_at >= ${runningSince}`;
  const others = sql`(s.ended_at < ${runningSince} OR s.ended_at IS NULL)`;
  return [running, others].flatMap((among) =>
    sorted.map(({ where, order }) => ({ where: sql`${among} AND ${where}`, order })),
  );
}

/**
 * An index has the order, and the filters are asked of each row: where few rows fit, or those of another time, all others would be
 * passed. So only the first are looked at; where they are not enough, the rows that fit are found by their filters and sorted.
 */
const LOOKED = 3000;

async function partRows(
  fleet: Fleet,
  filters: ListFilters,
  { where, order }: Part,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly PageRow[]> {
  const { sql, ask } = fleet;
  const rows = (from: Fragment): Promise<readonly PageRow[]> =>
    ask(
      () => sql<PageRow[]>`SELECT w.project, w.row, p.ended_at FROM (
          SELECT s.project, s.id, s.ended_at, row_number() OVER () AS n FROM (${from} LIMIT ${limit} OFFSET ${offset}) s) p
        JOIN sessions w ON w.project = p.project AND w.id = p.id ORDER BY p.n`,
    );
  const sorted = sql`ORDER BY ${sql.unsafe(order)}`;
  const fits = listed(fleet, filters);
  if (filters.isAll) return rows(sql`SELECT s.* FROM session_list s WHERE ${where} ${sorted}`);
  // An index has these sessions alone, in this order.
  if (isIndexed(filters)) return rows(sql`SELECT s.* FROM session_list s WHERE ${where} AND ${fits} ${sorted}`);
  // A filter that asks of the sorted column itself cuts a piece out of the index.
  const bound =
    filters.query.sort === "artifacts" && filters.query.artifacts !== undefined ? sql`s.artifacts >= 1` : sql`true`;
  const first = await rows(
    sql`SELECT s.* FROM (SELECT s.* FROM session_list s WHERE ${where} AND ${bound} ${sorted} LIMIT ${LOOKED}) s WHERE ${fits} ${sorted}`,
  );
  if (first.length === limit) return first;
  // An index of a folder or a model has these columns, so that the rows themselves are not read.
  const columns = new Set(["project", "id", "ended_at", SORTS[filters.query.sort][0]]);
  const asked = sql.unsafe([...columns].map((one) => `s.${one}`).join(", "));
  return rows(
    sql`SELECT s.* FROM (SELECT ${asked} FROM session_list s WHERE ${fits} AND ${where} OFFSET 0) s ${sorted}`,
  );
}

/** Values that go with a model or a state: of the first rows in their order none may have it, so an index has both. */
const WITH: Readonly<Record<"model" | "state", readonly Sort[]>> = {
  model: ["turns", "calls", "compactions", "artifacts"],
  state: ["compactions"],
};

/** A folder's and a model's sessions have an index by time, too. In another order those of some days may be far behind. */
function isIndexed({ query: { project, model, sort, since }, state }: ListFilters): boolean {
  if (sort === "started" || sort === "active") return project !== undefined || model !== undefined;
  const isOfState = state !== undefined && state !== "running";
  return (
    since === undefined &&
    ((model !== undefined && WITH.model.includes(sort)) || (isOfState && WITH.state.includes(sort)))
  );
}

async function partLength(fleet: Fleet, filters: ListFilters, { where }: Part): Promise<number> {
  const { sql, ask } = fleet;
  const [row] = await ask(
    () => sql<{ n: number }[]>`SELECT count(*) AS n FROM session_list s WHERE ${listed(fleet, filters)} AND ${where}`,
  );
  return row!.n;
}

/** The order of rows that are sorted when they are found. */
function orderOf({ sql }: Pick<Fleet, "sql">, { query, runningSince, isNarrow }: ListFilters): Fragment {
  const [column] = SORTS[query.sort];
  const by = column === "name" && !isNarrow ? "lower(s.title)" : `s.${column}`;
  const pinned =
    query.pin === "running"
      ? sql`coalesce(s.ended_at >= ${runningSince}, false) DESC,`
      : query.pin === "title"
        ? titleRank({ sql }, query.q)
        : sql``;
  return sql`${pinned} ${sql.unsafe(`${by} ${query.dir} NULLS LAST, s.id ${query.dir}`)}`;
}

/** Titles that have the words of a query come first: whole words, then their beginnings. */
function titleRank({ sql }: Pick<Fleet, "sql">, q: string): Fragment {
  const words = wordsOfQuery(parseSearch(q, 0)).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  if (words.length === 0) return sql``;
  const has = (after: string): Fragment =>
    words
      .map((word): Fragment => sql`s.title ~* ${`(^|[^[:alnum:]])${word}${after}`}`)
      .reduce((all, one) => sql`${all} AND ${one}`);
  return sql`CASE WHEN ${has("($|[^[:alnum:]])")} THEN 0 WHEN ${has("")} THEN 1 ELSE 2 END,`;
}

/** Sub-agents of a session, or what a search finds. */
const widePage = (fleet: Fleet, filters: ListFilters): Promise<readonly PageRow[]> => {
  const { sql, ask } = fleet;
  const { limit, offset } = filters.query;
  return ask(
    () => sql<PageRow[]>`SELECT w.project, w.row, w.ended_at FROM (
        SELECT p.project, p.id, row_number() OVER () AS n FROM (
          SELECT s.project, s.id FROM ${listTable(fleet, filters)} WHERE ${listed(fleet, filters)}
          ORDER BY ${orderOf(fleet, filters)} LIMIT ${limit} OFFSET ${offset}) p) p
      JOIN sessions w ON w.project = p.project AND w.id = p.id ORDER BY p.n`,
  );
};

/** Sessions of the groups that the page shows. */
async function groupedPage(fleet: Fleet, filters: ListFilters, groups: readonly Group[]): Promise<readonly PageRow[]> {
  const { sql, ask } = fleet;
  const { offset, limit } = filters.query;
  const shown: { n: number; cwd: string; skip: number; take: number }[] = [];
  let at = 0;
  for (const { project, sessions } of groups) {
    const [from, to] = [Math.max(at, offset), Math.min(at + sessions, offset + limit)];
    if (from < to) shown.push({ n: shown.length, cwd: project, skip: from - at, take: to - from });
    at += sessions;
    if (at >= offset + limit) break;
  }
  if (shown.length === 0) return [];
  const folder = filters.isNarrow ? sql`s.folder = md5(g.cwd)::uuid` : sql`coalesce(s.cwd, '') = g.cwd`;
  return ask(
    () => sql<
      PageRow[]
    >`SELECT w.project, w.row, p.ended_at FROM jsonb_to_recordset(${sql.json(shown)}) AS g(n integer, cwd text, skip integer, take integer)
      CROSS JOIN LATERAL (SELECT s.project, s.id, s.ended_at, row_number() OVER () AS n FROM (
        SELECT s.project, s.id, s.ended_at FROM ${listTable(fleet, filters)} WHERE ${listed(fleet, filters)} AND ${folder}
        ORDER BY ${orderOf(fleet, filters)} LIMIT g.take OFFSET g.skip) s) p
      JOIN sessions w ON w.project = p.project AND w.id = p.id ORDER BY g.n, p.n`,
  );
}
