// Usage of thousands of folders, people or sessions as a page shows it: the database keeps the rows of the heaviest groups, and sums those of all
// others of a period to one. A year of 5,000 folders is millions of rows by day, which no node has to read.
import { agentKeys } from "#lib/archive/import/format-label.ts";
import type { GroupRow } from "#lib/archive/load/usage-groups.ts";
import { NO_MODEL, type TableRequest } from "#lib/archive/load/usage-report.ts";
import type { CallsRow, CutRow } from "#lib/archive/load/usage-rows.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";

/** Of rows that are sums already. */
const FIGURES = [
  ...["calls", "input", "read", "written", "output", "reasoning"].map((name) => `sum(${name})::bigint AS ${name}`),
  ...["sum(usd) AS usd", "max(unsure) AS unsure", "sum(cuts)::int AS cuts"],
].join(", ");
const TOKENS = "sum(input + read + written + output)";

type FoldedRow = CallsRow &
  CutRow & {
    /** A row of a group that is kept, one of all others of a day, or the sums of a group. */
    readonly part: "kept" | "others" | "group";
    readonly value: string;
    readonly others: number | null;
  };

type TopRequest = TableRequest & { readonly top: number };

/** The rows that are asked for as `u`, and as `g` what each of their groups comes to. Ranks are those of `foldOthers`. */
function rankedGroups({ sql }: Pick<Fleet, "sql">, { top, agent, model }: TopRequest, each: Fragment): Fragment {
  const rank = (by: string): Fragment => sql.unsafe(`row_number() OVER (ORDER BY ${by} DESC, value COLLATE "C")`);
  return sql`u AS MATERIALIZED (SELECT * FROM (${each}) u
      WHERE ${agent === undefined ? sql`true` : sql`agent_name = ANY(${agentKeys(agent)})`}
        AND ${model === undefined ? sql`true` : sql`coalesce(model, ${NO_MODEL}) = ${model}`}),
    g AS MATERIALIZED (SELECT value, ${sql.unsafe(FIGURES)}, least(${rank("coalesce(sum(usd), 0)")}, ${rank(TOKENS)}) <= ${top} AS kept
      FROM u GROUP BY value),
    o AS (SELECT u.* FROM u JOIN g USING (value) WHERE NOT g.kept)`;
}

/** `each`: rows of day, model, agent_name, fleet_project, value and the figures. `valueAs`: the column that takes what rows belong to. */
export async function foldedGroups(
  { sql }: Pick<Fleet, "sql">,
  request: TopRequest,
  each: Fragment,
  { valueAs, most }: { readonly valueAs: "cwd" | "person" | "sender"; readonly most: number },
): Promise<{ readonly rows: readonly (CallsRow & CutRow)[]; readonly groups: readonly GroupRow[] }> {
  const rows = await sql<FoldedRow[]>`WITH ${rankedGroups({ sql }, request, each)},
    n AS (SELECT day, count(DISTINCT value)::int AS others FROM o GROUP BY day)
    SELECT 'group' AS part, value, NULL::integer AS day, NULL AS model, NULL AS agent_name, NULL AS fleet_project, calls, input, read,
      written, output, reasoning, usd, unsure, cuts, 0 AS others FROM g
    UNION ALL SELECT 'others', '', o.day, model, agent_name, fleet_project, ${sql.unsafe(FIGURES)}, max(n.others)
      FROM o JOIN n ON n.day IS NOT DISTINCT FROM o.day GROUP BY o.day, model, agent_name, fleet_project
    UNION ALL (SELECT 'kept', value, u.day, u.model, u.agent_name, u.fleet_project, u.calls, u.input, u.read, u.written, u.output,
      u.reasoning, u.usd, u.unsure, u.cuts, NULL FROM u JOIN g USING (value) WHERE g.kept LIMIT ${most + 1})`;
  const of = (part: FoldedRow["part"]): FoldedRow[] => rows.filter((row) => row.part === part);
  const named = [...of("kept"), ...of("others")].map(({ others, value, ...row }) =>
    others === null ? { ...row, [valueAs]: value === "" ? null : value } : { ...row, others },
  );
  return { rows: named, groups: of("group").map(({ value, ...sums }) => ({ ...sums, group: value })) };
}

type SessionPart = CallsRow & CutRow & { readonly others: number | null };

/** `each`: rows of project, value, which is the session, day, model, agent_name and the figures. */
export async function foldedSessions(
  { sql }: Pick<Fleet, "sql">,
  request: TopRequest,
  each: Fragment,
  most: number,
): Promise<readonly (CallsRow & CutRow)[]> {
  const rows = await sql<SessionPart[]>`WITH ${rankedGroups({ sql }, request, each)}
    SELECT '' AS id, '' AS title, NULL AS cwd, agent_name, (SELECT max(day) FROM u) AS day, model, ${sql.unsafe(FIGURES)},
      (SELECT count(DISTINCT value)::int FROM o) AS others FROM o GROUP BY agent_name, model
    UNION ALL (SELECT s.id, s.title, s.cwd, coalesce(s.agent_key, s.format), u.day, u.model, u.calls, u.input, u.read, u.written, u.output,
      u.reasoning, u.usd, u.unsure, u.cuts, NULL FROM u JOIN g USING (value) JOIN sessions s ON s.project = u.project AND s.id = u.value
      WHERE g.kept LIMIT ${most + 1})`;
  return rows.map(({ others, ...row }) => (others === null ? row : { ...row, others }));
}
