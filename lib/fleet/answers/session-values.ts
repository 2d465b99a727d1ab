// A filter of sessions names a part of a folder, an agent or a model. Sessions have thousands of folders and some agents: they are
// looked through, and an index finds the sessions of those that fit. To look at a million sessions takes a second and more.
import { agentsNamed, isNamedSession } from "#lib/archive/import/named-agents.ts";
import type { SearchFilter } from "#lib/kernel/search/search-filter.ts";
import { keptValues } from "../list/kept-counts.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import type { Projects } from "../visible-projects.ts";
import { within, type KnownConditions } from "./search-conditions.ts";

/** Of more values each session is asked instead. */
const MOST = 2000;

/** What these filters ask of a row of `searched_sessions`, by its values; a filter that is not here is asked as it is. */
export async function valuesAsked(
  fleet: Fleet,
  filters: readonly SearchFilter[],
  visible: Projects,
): Promise<KnownConditions> {
  const found = await Promise.all(
    filters.map(async (filter) => ({ filter, values: await valuesOf(fleet, filter, visible) })),
  );
  return new Map(
    found.flatMap(({ filter, values }): [SearchFilter, Fragment][] =>
      values === null || values.length > MOST ? [] : [[filter, isAmong(fleet, filter, values)]],
    ),
  );
}

function isAmong({ sql }: Fleet, { field }: SearchFilter, values: readonly string[]): Fragment {
  if (field === "model") return sql`s.model = ANY(${[...values]})`;
  return sql`s.${sql(field === "agent" ? "format_agent" : "folder")} = ANY(${[...values]}::uuid[])`;
}

function namedAmong(
  name: string,
  agents: readonly { readonly value: string; readonly format: string; readonly agent: string }[],
): string[] {
  const isNamed = agentsNamed(name);
  return agents.flatMap(({ value, format, agent }) => (isNamedSession(isNamed, format, agent) ? [value] : []));
}

/** The values that fit, as the index has them; null of another filter. */
async function valuesOf(fleet: Fleet, filter: SearchFilter, visible: Projects): Promise<string[] | null> {
  const { sql, ask } = fleet;
  type Rows = { readonly value: string }[];
  const read = (rows: () => Promise<Rows>): Promise<string[]> => ask(rows).then((all) => all.map(({ value }) => value));
  switch (filter.field) {
    case "project":
      return read(
        () => sql<Rows>`SELECT DISTINCT md5(value)::uuid AS value FROM ${keptValues(fleet, { visible }, "cwd")}
          WHERE value ILIKE ${within(filter.value)} LIMIT ${MOST + 1}`,
      );
    case "model":
      return read(
        () => sql<Rows>`SELECT DISTINCT value FROM ${keptValues(fleet, { visible }, "model")}
          WHERE value ILIKE ${within(filter.value)} LIMIT ${MOST + 1}`,
      );
    case "agent":
      // From each agent the index goes to the next: their sessions are not read.
      return ask(
        () => sql<{ readonly value: string; readonly format: string; readonly agent: string }[]>`WITH RECURSIVE a AS (
            (SELECT format_agent, format, agent FROM searched_sessions ORDER BY 1 LIMIT 1)
            UNION ALL SELECT n.* FROM a CROSS JOIN LATERAL (SELECT s.format_agent, s.format, s.agent FROM searched_sessions s
              WHERE s.format_agent > a.format_agent ORDER BY 1 LIMIT 1) n)
          SELECT format_agent AS value, format, agent FROM a LIMIT ${MOST + 1}`,
      ).then((all) => namedAmong(filter.value, all));
    default:
      return null;
  }
}
