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
  const areGrouped = query.group !== undefined;
  const isByFolder = areSummed || areGrouped;
  if (!isKept) return countedFigures(fleet, filters, isByFolder);
  if (state === "running") {
    // Few are running: they are counted. What the other states have is kept.
    const [counted, counts] = await Promise.all([
      countedFigures(fleet, filters, isByFolder),
      keptCounts(fleet, filters),
    ]);
    return { ...counted, counts: { ...counts, running: counted.counts.running } };
  }
  const kept = keptCounts(fleet, filters);
  const [{ total, sums, ...counts }, running, formats, projects, models, folders] = await Promise.all([
    kept,
    runningCount(fleet, filters),
    keptFacet(fleet, filters, "format"),
    areGrouped && query.project === undefined ? null : keptFacet(fleet, filters, "project"),
    keptFacet(fleet, filters, "model"),
    areGrouped ? keptFolders(fleet, filters, kept) : null,
  ]);
  return {
    total,
    counts: { ...counts, running },
    facets: facetsOf({ formats, projects: projects ?? folderFacet(folders!), models }),
    ...{ sums: areSummed ? sums : null, groups: folders && groupsOf(folders) },
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
/**
 * Sums of rows that have them, as numbers. What is whole is added as a float, which is exact up to 2^53: whole numbers are summed as
 * decimal ones, which takes more than twice as long. Costs are decimal, and have to leave nothing.
 */
const summed = (names: readonly string[], which: string): string =>
  names
    .map((name) => {
      const value = name.endsWith("usd") ? name : `${name}::float8`;
      return `coalesce(sum(${value}) FILTER (WHERE ${which}), 0)::float8 AS ${name}`;
    })
    .join(", ");

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
    >`SELECT coalesce(sum(n), 0)::int AS all, ${sql.unsafe(STATES)}, ${sql.unsafe(summed(SUMS, isChosen))}
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
    () => sql<
      Value[]
    >`SELECT ${column} AS value, sum(n::float8)::int AS count FROM ${keptRows(fleet, filters, choice, choice)}
      WHERE ${column} IS NOT NULL GROUP BY 1 HAVING sum(n::float8) > 0 ORDER BY 2 DESC, ${column} COLLATE "C" LIMIT ${FACETS}`,
  );
};

/** So many sessions are looked through for who was active last, where no index has what is asked of; of more each folder is asked for its own. */
const LOOKED = 150_000;

/** Folders with what is listed of them, and of those without one. `total`: how many are listed. */
async function keptFolders(
  fleet: Fleet,
  filters: ListFilters,
  total: Promise<{ readonly total: number }>,
): Promise<readonly FolderRow[]> {
  const { sql, ask } = fleet;
  const { format, model, artifacts, project } = filters.query;
  const where = listed(fleet, filters);
  // An index by folder and time has each of these, and no two of them.
  const asked = [format, model, artifacts, filters.state].filter((one) => one !== undefined);
  const isEachAsked = asked.length < 2 || project !== undefined || (await total).total > LOOKED;
  const last = isEachAsked
    ? sql`SELECT g.*, (SELECT s.ended_at FROM session_list s WHERE ${where} AND s.folder = md5(coalesce(g.cwd, ''))::uuid
        ORDER BY s.ended_at DESC NULLS LAST LIMIT 1) AS last FROM g`
    : sql`SELECT g.*, s.last FROM g LEFT JOIN (SELECT s.folder, max(s.ended_at) AS last FROM session_list s WHERE ${where} GROUP BY 1) s
        ON s.folder = md5(coalesce(g.cwd, ''))::uuid`;
  return ask(
    () => sql<FolderRow[]>`WITH g AS MATERIALIZED (SELECT cwd, ${sql.unsafe(summed(SUMS.slice(0, 6), "true"))}
      FROM ${keptRows(fleet, filters, null, "project")} GROUP BY 1 HAVING sum(n::float8) > 0) ${last}`,
  );
}

type FolderRow = SumRow & { readonly cwd: string | null; readonly last: number | null };

/** The last active first. No folder and an empty one are one group. */
function groupsOf(rows: readonly FolderRow[]): SessionGroup[] {
  const [unnamed, named] = [rows.filter(({ cwd }) => !cwd), rows.filter(({ cwd }) => cwd)];
  const nameOf = ({ cwd }: FolderRow): string => cwd ?? "";
  return [...(unnamed.length < 2 ? unnamed : [addUp(unnamed)]), ...named]
    .toSorted((a, b) => (b.last ?? -1) - (a.last ?? -1) || (nameOf(a) < nameOf(b) ? -1 : 1))
    .map((row) => ({ project: nameOf(row), ...sumsOf(row, "") }));
}

function addUp(rows: readonly FolderRow[]): FolderRow {
  const sums = Object.fromEntries(SUMS.map((name) => [name, rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)]));
  const last = rows.reduce<number | null>(
    (most, row) => (row.last === null ? most : Math.max(most ?? 0, row.last)),
    null,
  );
  return Object.assign(sums, { cwd: "", last });
}

/** What the choice of a folder would list, where none is chosen: as the database has it of the other choices. */
const folderFacet = (rows: readonly FolderRow[]): Value[] =>
  mostFirst(rows.flatMap(({ cwd, n }) => (cwd === null ? [] : [{ value: cwd, count: n! }])));

const mostFirst = (values: readonly Value[]): Value[] =>
  values.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, FACETS);

/** Rows that are counted: those of each format, model and state in one pass, and in another those of each folder, which are many. */
async function countedFigures(fleet: Fleet, filters: ListFilters, isByFolder: boolean): Promise<ListFigures> {
  const { query, chosen } = filters;
  // The folders that are summed are those of the choice, where none is chosen.
  const areFoldersSummed = isByFolder && chosen.project === null;
  const [groups, values, { folders, ...sums }] = await Promise.all([
    countedGroups(fleet, filters),
    areFoldersSummed ? null : countedFolders(fleet, filters),
    isByFolder ? countedSums(fleet, filters) : { sums: null, groups: null, folders: [] },
  ]);
  const projects = values ?? folderFacet(folders);
  const fits = (left: Choice | null): readonly CountedGroup[] =>
    groups.filter(
      (one) =>
        (query.format === undefined || left === "format" || one.format === query.format) &&
        (query.model === undefined || left === "model" || one.model === query.model) &&
        (filters.state === undefined || left === "state" || isOfState(one, filters.state)),
    );
  const states = fits("state");
  const ofState = (state: keyof SessionsAnswer["counts"]): number =>
    added(state === "all" ? states : states.filter((one) => isOfState(one, state)));
  const counts = {
    ...{ all: ofState("all"), running: ofState("running") },
    ...{ refused: ofState("refused"), compacted: ofState("compacted"), near: ofState("near"), fine: ofState("fine") },
  };
  const facets = { formats: facetOf(fits("format"), "format"), projects, models: facetOf(fits("model"), "model") };
  return { total: added(fits(null)), counts, facets: facetsOf(facets), ...sums };
}

type CountedGroup = {
  readonly format: string;
  readonly model: string | null;
  readonly state: string | null;
  readonly running: boolean;
  readonly n: number;
};

const isOfState = (one: CountedGroup, state: string): boolean =>
  state === "running" ? one.running : one.state === state;
const added = (groups: readonly CountedGroup[]): number => groups.reduce((sum, { n }) => sum + n, 0);

function facetOf(groups: readonly CountedGroup[], by: "format" | "model"): readonly Value[] {
  const counts = new Map<string, number>();
  for (const one of groups) {
    const value = one[by];
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + one.n);
  }
  return mostFirst([...counts].map(([value, count]) => ({ value, count })));
}

/** What every choice but those of a format, a model and a state lists. */
async function countedGroups(fleet: Fleet, filters: ListFilters): Promise<readonly CountedGroup[]> {
  const { sql, ask } = fleet;
  const { common, chosen, runningSince, isKept } = filters;
  // Who is running is few: where the other states are kept, no other row is looked at.
  const strict = isKept && chosen.state !== null ? sql`AND ${chosen.state}` : sql``;
  return ask(
    () => sql<
      CountedGroup[]
    >`SELECT s.format, s.model, s.state, coalesce(s.ended_at >= ${runningSince}, false) AS running, count(*) AS n
      FROM ${listTable(fleet, filters)} WHERE ${common} ${strict} ${chosen.project === null ? sql`` : sql`AND ${chosen.project}`}
      GROUP BY 1, 2, 3, 4`,
  );
}

async function countedFolders(fleet: Fleet, filters: ListFilters): Promise<readonly Value[]> {
  const { sql, ask } = fleet;
  return ask(
    () => sql<Value[]>`SELECT s.cwd AS value, count(*) AS count FROM ${listTable(fleet, filters)}
      WHERE ${listed(fleet, filters, "project")} AND s.cwd IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, s.cwd COLLATE "C" LIMIT ${FACETS}`,
  );
}

/** What the listed sessions come to, and the same by project: one pass, and their sums are those of all. */
async function countedSums(
  fleet: Fleet,
  filters: ListFilters,
): Promise<Pick<ListFigures, "sums" | "groups"> & { readonly folders: readonly FolderRow[] }> {
  const { sql, ask } = fleet;
  const { isNarrow, query } = filters;
  // Few sessions have sub-agents.
  const subs = SUMS.slice(6).map((name) =>
    isNarrow ? `coalesce(sum(s.${name}) FILTER (WHERE s.subs > 0), 0)::float8 AS ${name}` : `0::float8 AS ${name}`,
  );
  const folders = await ask(
    () => sql<FolderRow[]>`
      SELECT s.cwd, count(*)::float8 AS n, coalesce(sum(s.own_calls), 0)::float8 AS calls,
        coalesce(sum(s.own_tokens::float8), 0) AS tokens, coalesce(sum(s.own_usd), 0) AS usd, count(s.own_usd)::float8 AS priced,
        (count(*) FILTER (WHERE s.own_unsure))::float8 AS unsure, ${sql.unsafe(subs.join(", "))}, max(s.ended_at) AS last
      FROM ${listTable(fleet, filters)} WHERE ${listed(fleet, filters)} GROUP BY 1`,
  );
  const groups = query.group === undefined ? null : groupsOf(folders);
  if (query.sums === undefined) return { sums: null, groups, folders };
  const all = addUp(folders);
  const sums = isNarrow ? bothSums(all) : { ...sumsOf(all, ""), subAgents: await subAgents(fleet, filters) };
  return { sums, groups, folders };
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
