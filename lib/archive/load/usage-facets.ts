// What a report of usage can be narrowed to.
import { query } from "#db/statement.ts";
import type { Connection } from "#db/connection.ts";
import { labelOf } from "../import/format-label.ts";
import type { UsageAnswer } from "#lib/wire/usage-schema.ts";

const MOST = 200;

type Facet = NonNullable<UsageAnswer["facets"]>["agents"];

/** Agents as people know them: one of a file that names its agent, and one of a format, may be the same. */
export function byLabel(agents: readonly Facet[number][]): Facet {
  const counts = new Map<string, number>();
  for (const { value, count } of agents) counts.set(labelOf(value), (counts.get(labelOf(value)) ?? 0) + count);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

export function usageFacets({ sqlite }: Connection): NonNullable<UsageAnswer["facets"]> {
  const of = (value: string) =>
    query(
      sqlite,
      { value: "text", count: "integer" },
      `SELECT '' || ${value} AS value, count(*) AS count FROM sessions
       WHERE earlier IS NULL AND calls > 0 AND ${value} IS NOT NULL AND ${value} <> ''
       GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MOST}`,
    ).all();
  return { agents: byLabel(of("coalesce(agent_name, format)")), projects: of("cwd"), models: of("model") };
}
