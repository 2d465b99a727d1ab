// Figures of a list whose rows are counted: where words or a time are asked of, or who is running.
import type { SessionSums } from "#lib/wire/sessions-schema.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { SUMS } from "./kept-counts.ts";
import { listed, listTable, type ListFilters } from "./list-filters.ts";
import { figuresOf, type CountedGroup } from "./list-groups.ts";
import {
  addUp,
  bothSums,
  FACETS,
  facetsOf,
  folderFacet,
  groupsOf,
  sumsOf,
  type FolderRow,
  type ListFigures,
  type SumRow,
  type Value,
} from "./list-totals.ts";

/** Rows that are counted: those of each format, model and state in one pass, and in another those of each folder, which are many. */
export async function countedFigures(fleet: Fleet, filters: ListFilters, isByFolder: boolean): Promise<ListFigures> {
  // The folders that are summed are those of the choice, where none is chosen.
  const areFoldersSummed = isByFolder && filters.chosen.project === null;
  const [rows, values, { folders, ...sums }] = await Promise.all([
    countedGroups(fleet, filters),
    areFoldersSummed ? null : countedFolders(fleet, filters),
    isByFolder ? countedSums(fleet, filters) : { sums: null, groups: null, folders: [] },
  ]);
  const { total, counts, formats, models } = figuresOf(filters, rows);
  return { total, counts, facets: facetsOf({ formats, projects: values ?? folderFacet(folders), models }), ...sums };
}

/** What every choice but those of a format, a model and a state lists. */
async function countedGroups(fleet: Fleet, filters: ListFilters): Promise<readonly CountedGroup[]> {
  const { sql, ask } = fleet;
  const { common, chosen, runningSince, keptBy } = filters;
  // Who is running is few: where the other states are kept, no other row is looked at.
  const strict = keptBy !== null && chosen.state !== null ? sql`AND ${chosen.state}` : sql``;
  return ask(
    () => sql<
      CountedGroup[]
    >`SELECT s.format, s.model, s.state, coalesce(s.ended_at >= ${runningSince}, false) AS running, count(*) AS n
      FROM ${listTable(fleet, filters)} WHERE ${common} ${strict} ${chosen.project === null ? sql`` : sql`AND ${chosen.project}`}
      GROUP BY 1, 2, 3, 4`,
  );
}

export async function countedFolders(fleet: Fleet, filters: ListFilters): Promise<readonly Value[]> {
  const { sql, ask } = fleet;
  if (filters.isNarrow) return narrowFolders(fleet, filters);
  return ask(
    () => sql<Value[]>`SELECT s.cwd AS value, count(*) AS count FROM ${listTable(fleet, filters)}
      WHERE ${listed(fleet, filters, "project")} AND s.cwd IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, s.cwd COLLATE "C" LIMIT ${FACETS}`,
  );
}

/** The same by the digests of folders, which indexes have. Names are looked up of those that may be among the first. */
async function narrowFolders({ sql, ask }: Fleet, filters: ListFilters): Promise<readonly Value[]> {
  const where = listed({ sql }, filters, "project");
  // No folder and an empty one have the same, and the first is none.
  const unnamed = sql`md5('')::uuid`;
  return ask(
    () => sql<Value[]>`WITH g AS MATERIALIZED (
        SELECT s.folder, count(*) AS n FROM session_list s WHERE ${where} AND s.folder <> ${unnamed} GROUP BY 1),
      v AS (
        SELECT (SELECT l.cwd FROM session_list l WHERE l.folder = g.folder LIMIT 1) AS value, n AS count FROM g
          WHERE n >= coalesce((SELECT n FROM g ORDER BY 1 DESC LIMIT 1 OFFSET ${FACETS - 1}), 0)
        UNION ALL SELECT '', count(*) FROM session_list s WHERE ${where} AND s.folder = ${unnamed} AND s.cwd = '' HAVING count(*) > 0)
      SELECT value, count FROM v ORDER BY 2 DESC, value COLLATE "C" LIMIT ${FACETS}`,
  );
}

/** What the listed sessions come to, and the same by project: one pass, and their sums are those of all. */
export async function countedSums(
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

/** What sub-agents below the listed sessions add that are not listed themselves, where the rows do not say it. */
async function subAgents(fleet: Fleet, filters: ListFilters): Promise<SessionSums | null> {
  const { sql, ask } = fleet;
  // One by one in their index: it expects a thousand times as many as there are, and would read all rows, 1.4 s for 80,000 sessions.
  const begunBy = (one: Fragment): Fragment => sql`CROSS JOIN LATERAL (
    SELECT c.project, c.id, c.own_calls, c.own_tokens, c.own_usd, c.own_unsure FROM sessions c
    WHERE c.parent = ${one}.id AND c.project = ${one}.project OFFSET 0) c`;
  const [row] = await ask(
    () => sql<
      SumRow[]
    >`WITH RECURSIVE listed AS MATERIALIZED (SELECT s.project, s.id FROM ${listTable(fleet, filters)} WHERE ${listed(fleet, filters)}),
        below AS (SELECT c.* FROM listed l ${begunBy(sql`l`)} UNION SELECT c.* FROM below b ${begunBy(sql`b`)})
      SELECT count(*)::float8 AS n, coalesce(sum(own_calls), 0)::float8 AS calls, coalesce(sum(own_tokens), 0)::float8 AS tokens,
        sum(own_usd) AS usd, count(own_usd)::float8 AS priced, (count(*) FILTER (WHERE own_unsure))::float8 AS unsure
      FROM below b WHERE NOT EXISTS (SELECT FROM listed l WHERE l.project = b.project AND l.id = b.id)`,
  );
  return row!["n"] === 0 ? null : sumsOf(row!, "");
}
