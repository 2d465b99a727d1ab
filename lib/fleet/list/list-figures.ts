// Figures of the whole list: how many are listed, how many each choice would list, and what they come to. The kept counts have them;
// where a time or words are asked of, rows are counted, in one pass.
import type { SessionGroup, SessionsAnswer, SessionSums } from "#lib/wire/sessions-schema.ts";
import { labelOf } from "#lib/archive/import/format-label.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { inProjects } from "../visible-projects.ts";
import { columnOf, keptRows, SUMS } from "./kept-counts.ts";
import { CHOICES, listed, listTable, type Choice, type ListFilters } from "./list-filters.ts";

const FACETS = 200;

export type ListFigures = Pick<SessionsAnswer, "total" | "counts" | "facets" | "sums" | "groups">;

export async function listFigures(fleet: Fleet, filters: ListFilters): Promise<ListFigures> {
  const { state, isKept, query } = filters;
  const areSummed = query.sums !== undefined;
  const areGrouped = areSummed || query.group !== undefined;
  if (!isKept) return countedFigures(fleet, filters, areGrouped);
  if (state === "running") {
    // Few are running: they are counted. What the other states have is kept.
    const [counted, counts] = await Promise.all([
      countedFigures(fleet, filters, areGrouped),
      keptCounts(fleet, filters),
    ]);
    return { ...counted, counts: { ...counts, running: counted.counts.running } };
  }
  const [{ total, sums, ...counts }, running, formats, projects, models, groups] = await Promise.all([
    keptCounts(fleet, filters),
    runningCount(fleet, filters),
    keptFacet(fleet, filters, "format"),
    keptFacet(fleet, filters, "project"),
    keptFacet(fleet, filters, "model"),
    areGrouped ? keptGroups(fleet, filters) : null,
  ]);
  return {
    total,
    counts: { ...counts, running },
    facets: facetsOf({ formats, projects, models }),
    ...{ sums: areSummed ? sums : null, groups },
  };
}

type Value = { readonly value: string; readonly count: number };
type Values = {
  readonly formats: readonly Value[];
  readonly projects: readonly Value[];
  readonly models: readonly Value[];
};

const facetsOf = ({ formats, projects, models }: Values): SessionsAnswer["facets"] => ({
  formats: formats.map((one) => ({ ...one, label: labelOf(one.value) })),
  projects: [...projects],
  models: [...models],
});

type SumRow = Readonly<Record<string, number | null>>;
/** Sums of rows that have them, as numbers. */
const summed = (which: string): string =>
  SUMS.map((name) => `coalesce(sum(${name}) FILTER (WHERE ${which}), 0)::float8 AS ${name}`).join(", ");

const sumsOf = (row: SumRow, of: "" | "sub_"): SessionSums => ({
  sessions: row[of === "" ? "n" : "subs"]!,
  calls: row[`${of}calls`]!,
  tokens: row[`${of}tokens`]!,
  usd: row[`${of}priced`] === 0 ? null : row[`${of}usd`]!,
  isPartial: row[`${of}unsure`]! > 0,
});

const bothSums = (row: SumRow): NonNullable<SessionsAnswer["sums"]> => ({
  ...sumsOf(row, ""),
  subAgents: row["subs"] === 0 ? null : sumsOf(row, "sub_"),
});

const STATES = ["refused", "compacted", "near", "fine"]
  .map((state) => `coalesce(sum(n) FILTER (WHERE state = '${state}'), 0)::int AS ${state}`)
  .join(", ");

type Counts = Omit<SessionsAnswer["counts"], "running"> &
  Pick<SessionsAnswer, "total"> & { sums: NonNullable<SessionsAnswer["sums"]> };

async function keptCounts(fleet: Fleet, filters: ListFilters): Promise<Counts> {
  const { sql, ask } = fleet;
  const { state } = filters;
  const isChosen = state === undefined || state === "running" ? "true" : `state = '${state}'`;
  const [row] = await ask(
    () => sql<
      (SumRow & Counts)[]
    >`SELECT coalesce(sum(n), 0)::int AS all, ${sql.unsafe(STATES)}, ${sql.unsafe(summed(isChosen))}
      FROM ${keptRows(fleet, filters, "state", null)}`,
  );
  const { all, refused, compacted, near, fine } = row!;
  return { all, refused, compacted, near, fine, total: Number(row!["n"]), sums: bothSums(row!) };
}

async function runningCount(fleet: Fleet, filters: ListFilters): Promise<number> {
  const { sql, ask } = fleet;
  const [row] = await ask(
    () =>
      sql<
        { n: number }[]
      >`SELECT count(*) AS n FROM session_list s WHERE s.ended_at >= ${filters.runningSince} AND ${listed(fleet, filters, "state")}`,
  );
  return row!.n;
}

const keptFacet = (fleet: Fleet, filters: ListFilters, choice: Exclude<Choice, "state">): Promise<readonly Value[]> => {
  const { sql, ask } = fleet;
  const column = sql(columnOf(choice));
  return ask(
    () => sql<Value[]>`SELECT ${column} AS value, sum(n)::int AS count FROM ${keptRows(fleet, filters, choice, choice)}
      WHERE ${column} IS NOT NULL GROUP BY 1 HAVING sum(n) > 0 ORDER BY 2 DESC, 1 LIMIT ${FACETS}`,
  );
};

/** Projects with what is listed of them, the last active first. */
async function keptGroups(fleet: Fleet, filters: ListFilters): Promise<SessionGroup[]> {
  const { sql, ask } = fleet;
  const rows = await ask(
    () => sql<(SumRow & { project: string })[]>`
      SELECT * FROM (SELECT g.*, (SELECT s.ended_at FROM session_list s WHERE ${listed(fleet, filters)} AND s.folder = md5(g.project)::uuid
        ORDER BY s.ended_at DESC NULLS LAST LIMIT 1) AS last
      FROM (SELECT coalesce(cwd, '') AS project, ${sql.unsafe(summed("true"))} FROM ${keptRows(fleet, filters, null, "project")}
        GROUP BY 1 HAVING sum(n) > 0) g) h ORDER BY coalesce(last, -1) DESC, project`,
  );
  return groupsOf(rows);
}

const groupsOf = (rows: readonly (SumRow & { project: string })[]): SessionGroup[] =>
  rows.map((row) => ({ project: row.project, ...sumsOf(row, "") }));

/** One pass over the rows, which are few enough; figures of each choice are sums of its groups. */
async function countedFigures(fleet: Fleet, filters: ListFilters, areGrouped: boolean): Promise<ListFigures> {
  const { sql, ask } = fleet;
  const { common, chosen, runningSince, isKept, isNarrow, query } = filters;
  // Of rows that are counted for a choice at most that choice's own filter fails.
  const leftOut = CHOICES.filter((one) => chosen[one] !== null && !(isKept && one === "state"));
  const fails = leftOut.reduce<Fragment>(
    (all, one) => sql`${all} + (NOT coalesce(${chosen[one]!}, false))::int`,
    sql`0`,
  );
  const strict = isKept && chosen.state !== null ? sql`AND ${chosen.state}` : sql``;
  const isOk = (one: Choice): Fragment => (chosen[one] === null ? sql`true` : sql`coalesce(${chosen[one]}, false)`);
  const ok = { format: sql`is_format`, project: sql`is_folder`, model: sql`is_model`, state: sql`is_state` };
  const where = (left: Choice | null): Fragment =>
    CHOICES.reduce<Fragment>((all, one) => (one === left ? all : sql`${all} AND ${ok[one]}`), sql`true`);
  const facet = (column: "format" | "cwd" | "model", left: Choice): Fragment => sql`(
    SELECT coalesce(json_agg(f), '[]') FROM (SELECT ${sql(column)} AS value, sum(n)::int AS count FROM g
      WHERE ${where(left)} AND ${sql(column)} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${FACETS}) f)`;
  const subs = isNarrow
    ? SUMS.slice(6).map((name) => `sum(s.${name}) AS ${name}`)
    : SUMS.slice(6).map((name) => `0 AS ${name}`);
  const groups = sql`(SELECT json_agg(f) FROM (SELECT coalesce(cwd, '') AS project, ${sql.unsafe(summed("true"))} FROM g
    WHERE ${where(null)} GROUP BY 1 ORDER BY coalesce(max(last), -1) DESC, 1) f)`;
  type Row = Values & {
    counts: SessionsAnswer["counts"];
    listed: SumRow;
    groups: (SumRow & { project: string })[] | null;
  };
  const [row] = await ask(
    () => sql<Row[]>`WITH g AS MATERIALIZED (
        SELECT s.format, s.cwd, s.model, s.state, coalesce(s.ended_at >= ${runningSince}, false) AS is_running, ${isOk("format")} AS is_format,
          ${isOk("project")} AS is_folder, ${isOk("model")} AS is_model, ${isOk("state")} AS is_state, max(s.ended_at) AS last,
          count(*) AS n, sum(s.own_calls) AS calls, sum(s.own_tokens) AS tokens, coalesce(sum(s.own_usd::numeric), 0) AS usd,
          count(s.own_usd) AS priced, count(*) FILTER (WHERE s.own_unsure) AS unsure, ${sql.unsafe(subs.join(", "))}
        FROM ${listTable(fleet, filters)} WHERE ${common} ${strict} AND ${fails} <= 1 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9)
      SELECT (SELECT to_json(f) FROM (SELECT coalesce(sum(n), 0)::int AS all, ${sql.unsafe(STATES)},
          coalesce(sum(n) FILTER (WHERE is_running), 0)::int AS running FROM g WHERE ${where("state")}) f) AS counts,
        (SELECT to_json(f) FROM (SELECT ${sql.unsafe(summed("true"))} FROM g WHERE ${where(null)}) f) AS listed,
        ${facet("format", "format")} AS formats, ${facet("cwd", "project")} AS projects, ${facet("model", "model")} AS models,
        ${areGrouped ? groups : sql`NULL`} AS groups`,
  );
  const { counts, listed: sums, ...facets } = row!;
  return {
    ...{ total: sums["n"]!, counts, facets: facetsOf(facets) },
    sums:
      query.sums === undefined
        ? null
        : isNarrow
          ? bothSums(sums)
          : { ...sumsOf(sums, ""), subAgents: await subAgents(fleet, filters) },
    groups: areGrouped ? groupsOf(row!.groups ?? []) : null,
  };
}

/** What sub-agents of the listed sessions add, where the rows do not say it. */
async function subAgents(fleet: Fleet, filters: ListFilters): Promise<SessionSums | null> {
  const { sql, ask } = fleet;
  const [row] = await ask(
    () => sql<
      SumRow[]
    >`SELECT count(*)::float8 AS n, coalesce(sum(own_calls), 0)::float8 AS calls, coalesce(sum(own_tokens), 0)::float8 AS tokens,
        sum(own_usd) AS usd, count(own_usd)::float8 AS priced, (count(*) FILTER (WHERE own_unsure))::float8 AS unsure
      FROM sessions WHERE ${inProjects(fleet, filters.visible)}
        AND parent IN (SELECT s.id FROM sessions s WHERE ${listed(fleet, filters)})`,
  );
  return row!["n"] === 0 ? null : sumsOf(row!, "");
}
