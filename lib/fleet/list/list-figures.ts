// Figures of the whole list: how many are listed, how many each choice would list, and what they come to. The kept counts have them, by
// day where a time is asked of; what they do not have is counted.
import type { SessionsAnswer } from "#lib/wire/sessions-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { countedFigures, countedFolders, countedSums } from "./counted-figures.ts";
import { dayGroups } from "./day-counts.ts";
import { columnOf, keptRows, SUMS } from "./kept-counts.ts";
import { listed, type Choice, type ListFilters } from "./list-filters.ts";
import { figuresOf } from "./list-groups.ts";
import {
  addUp,
  bothSums,
  FACETS,
  facetsOf,
  folderFacet,
  groupsOf,
  summed,
  type FolderRow,
  type ListFigures,
  type SumRow,
  type Value,
} from "./list-totals.ts";

export async function listFigures(fleet: Fleet, filters: ListFilters): Promise<ListFigures> {
  const { state, keptBy, query } = filters;
  const areSummed = query.sums !== undefined;
  const areGrouped = query.group !== undefined;
  const isByFolder = areSummed || areGrouped;
  if (keptBy === null) return countedFigures(fleet, filters, isByFolder);
  if (state === "running") {
    // Few are running: they are counted. What the other states have is kept.
    const [counted, counts] = await Promise.all([
      countedFigures(fleet, filters, isByFolder),
      keptBy === "days"
        ? dayGroups(fleet, filters).then((groups) => figuresOf(filters, groups).counts)
        : keptCounts(fleet, filters),
    ]);
    const { all, refused, compacted, near, fine } = counts;
    return { ...counted, counts: { all, running: counted.counts.running, refused, compacted, near, fine } };
  }
  return keptBy === "days" ? dayFigures(fleet, filters) : keptFigures(fleet, filters);
}

async function keptFigures(fleet: Fleet, filters: ListFilters): Promise<ListFigures> {
  const { query } = filters;
  const areGrouped = query.group !== undefined;
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
    ...{ sums: query.sums === undefined ? null : sums, groups: folders && groupsOf(folders) },
  };
}

/** Folders are counted: of a month each day has nearly as many as sessions. */
async function dayFigures(fleet: Fleet, filters: ListFilters): Promise<ListFigures> {
  const { query } = filters;
  const [rows, running, { projects, groups }] = await Promise.all([
    dayGroups(fleet, filters),
    runningCount(fleet, filters),
    query.group === undefined
      ? countedFolders(fleet, filters).then((values) => ({ projects: values, groups: null }))
      : countedSums(fleet, filters).then(({ folders, groups: all }) => ({
          projects: folderFacet(folders),
          groups: all,
        })),
  ]);
  const { total, counts, formats, models, groups: listedRows } = figuresOf(filters, rows);
  return {
    ...{ total, counts: { ...counts, running }, facets: facetsOf({ formats, projects, models }), groups },
    sums: query.sums === undefined ? null : bothSums(addUp(listedRows)),
  };
}

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
