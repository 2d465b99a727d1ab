// What a report of usage can be narrowed to.
import { query } from "#db/statement.ts";
import type { Connection } from "#db/connection.ts";
import type { UsageAnswer } from "#lib/wire/usage-schema.ts";

const MOST = 200;

export function usageFacets({ sqlite }: Connection): NonNullable<UsageAnswer["facets"]> {
  const of = (value: string) =>
    query(
      sqlite,
      { value: "text", count: "integer" },
      `SELECT '' || ${value} AS value, count(*) AS count FROM sessions
       WHERE earlier IS NULL AND calls > 0 AND ${value} IS NOT NULL AND ${value} <> ''
       GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MOST}`,
    ).all();
  return { agents: of("coalesce(agent_name, format)"), projects: of("cwd"), models: of("model") };
}
