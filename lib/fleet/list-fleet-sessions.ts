// The list of sessions of a fleet, as one machine lists its own: the same filters, sorts, figures beside each choice and rows,
// answered by the database.
import { labelOf } from "#lib/archive/import/format-label.ts";
import { RUNNING_MS } from "#lib/archive/sessions/session-view.ts";
import { fail } from "#lib/kernel/errors.ts";
import { markedText, parseSearch } from "#lib/kernel/search/search-query.ts";
import type { SessionRow, SessionsAnswer, SessionsQuery, SessionSums } from "#lib/wire/sessions-schema.ts";
import { SORTS, type Sort } from "./fleet-sorts.ts";
import { conditionsOf, isOfSession } from "./answers/search-conditions.ts";
import { tsqueryOf } from "./lexemes.ts";
import type { Fleet, Fragment } from "./open-fleet.ts";
import { inProjects, type Projects } from "./visible-projects.ts";

const DAY_MS = 86_400_000;
const SINCE = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;
const FACETS = 200;

type Left = "format" | "project" | "model" | "state" | null;

export async function listFleetSessions(
  fleet: Fleet,
  query: SessionsQuery,
  visible: Projects,
  now: number,
): Promise<SessionsAnswer> {
  const { sql, ask } = fleet;
  if (query.file !== undefined)
    fail("unsupported", "A fleet does not know which files their agents delete. Leave this filter out.");
  const asked = query.q.trim() === "" ? null : searchOf(fleet, query.q, now);
  const state = query.state ?? (query.badge === "over" ? "refused" : query.badge);

  const where = (left: Left) => sql`
    ${inProjects(fleet, visible)} AND
    ${query.parent !== undefined ? sql`parent = ${query.parent}` : asked === null || asked.isOfSessions ? sql`parent IS NULL` : sql`true`}
    ${query.format === undefined || left === "format" ? sql`` : sql`AND format = ${query.format}`}
    ${query.project === undefined || left === "project" ? sql`` : sql`AND cwd = ${query.project}`}
    ${query.model === undefined || left === "model" ? sql`` : sql`AND model = ${query.model}`}
    ${state === undefined || left === "state" ? sql`` : state === "running" ? sql`AND ended_at >= ${now - RUNNING_MS}` : sql`AND state = ${state}`}
    ${query.since === undefined ? sql`` : sql`AND started_at >= ${now - SINCE[query.since]}`}
    ${query.artifacts === undefined ? sql`` : sql`AND artifacts >= 1`}
    ${asked === null ? sql`` : sql`AND ${asked.condition}`}`;
  const order = sql.unsafe(orderOf(query.sort, query.dir));
  const pinned = query.pin === undefined ? sql`` : sql`(ended_at >= ${now - RUNNING_MS}) DESC NULLS LAST,`;
  const grouped =
    query.group === undefined
      ? sql``
      : sql`coalesce(max(ended_at) OVER (PARTITION BY coalesce(cwd, '')), -1) DESC, coalesce(cwd, ''),`;
  const facet = (column: "format" | "cwd" | "model", left: Left) => sql<{ value: string; count: number }[]>`
    SELECT ${sql(column)} AS value, count(*) AS count FROM sessions s WHERE ${where(left)} AND ${sql(column)} IS NOT NULL
    GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${FACETS}`;

  const [rows, totals, formats, projects, models] = await ask(() =>
    Promise.all([
      sql<{ row: SessionRow; ended_at: number | null }[]>`SELECT row, ended_at FROM sessions s WHERE ${where(null)}
        ORDER BY ${grouped} ${pinned} ${order} LIMIT ${query.limit} OFFSET ${query.offset}`,
      sql<(SessionsAnswer["counts"] & { total: number })[]>`SELECT count(*) AS all,
        count(*) FILTER (WHERE state = 'refused') AS refused, count(*) FILTER (WHERE state = 'compacted') AS compacted,
        count(*) FILTER (WHERE state = 'near') AS near, count(*) FILTER (WHERE state = 'fine') AS fine,
        count(*) FILTER (WHERE ended_at >= ${now - RUNNING_MS}) AS running,
        (SELECT count(*) FROM sessions s WHERE ${where(null)}) AS total
        FROM sessions s WHERE ${where("state")}`,
      facet("format", "format"),
      facet("cwd", "project"),
      facet("model", "model"),
    ]),
  );
  const { total, ...counts } = totals[0]!;
  return {
    // What it is now: its file is on the machine of its sender.
    sessions: rows.map(({ row, ended_at: ended }) => ({
      ...row,
      status: ended !== null && ended >= now - RUNNING_MS ? "running" : "idle",
    })),
    total,
    counts,
    facets: {
      formats: formats.map((one) => ({ ...one, label: labelOf(one.value) })),
      projects: [...projects],
      models: [...models],
    },
    ...(query.sums === undefined ? { sums: null, groups: null } : await sumsOf(fleet, where(null), visible)),
    hits: null,
    marked: markedText(query.q),
  };
}

/** `isOfSessions`: it asks of sessions alone and looks into no text. Sub-agents are not listed then. */
type Asked = { readonly condition: Fragment; readonly isOfSessions: boolean };

/** Sessions that a query finds: by what is said in them, or by their titles. */
function searchOf(fleet: Fleet, q: string, now: number): Asked {
  const { sql } = fleet;
  const { terms, filters } = parseSearch(q, now);
  const words = tsqueryOf(terms, { isTyped: true });
  const among = conditionsOf(fleet, filters, "session") ?? sql`true`;
  const ofText = conditionsOf(fleet, filters, "text");
  if (words === null && ofText === null)
    return { condition: filters.length > 0 ? sql`(${among})` : sql`false`, isOfSessions: true };
  const isSaid = words === null ? sql`true` : sql`words @@ to_tsquery('plimsoll', ${words})`;
  const isTitle =
    words !== null && filters.every(isOfSession) && terms.every(({ kind, not }) => kind === "word" && !not);
  const condition = sql`(${among}) AND (s.project, s.id) IN (
    SELECT t.project, t.session FROM session_texts t WHERE ${isSaid} ${ofText === null ? sql`` : sql`AND ${ofText}`}
    ${isTitle ? sql`UNION SELECT n.project, n.id FROM sessions n WHERE n.title_words @@ to_tsquery('plimsoll', ${words})` : sql``})`;
  return { condition, isOfSessions: false };
}

type SumsRow = { sessions: number; calls: number; tokens: number; usd: number | null; partial: boolean };
const OWN = [
  "count(*) AS sessions",
  "coalesce(sum(own_calls), 0)::bigint AS calls",
  "coalesce(sum(own_tokens), 0)::bigint AS tokens",
  "sum(own_usd) AS usd",
  "coalesce(bool_or(own_unsure), false) AS partial",
].join(", ");

/** What the listed sessions come to, what their sub-agents add, and the same by project. */
async function sumsOf(
  fleet: Fleet,
  where: Fragment,
  visible: Projects,
): Promise<Pick<SessionsAnswer, "sums" | "groups">> {
  const { sql, ask } = fleet;
  const own = sql.unsafe(OWN);
  const [all, agents, groups] = await ask(() =>
    Promise.all([
      sql<SumsRow[]>`SELECT ${own} FROM sessions s WHERE ${where}`,
      sql<SumsRow[]>`SELECT ${own} FROM sessions s WHERE ${inProjects(fleet, visible)}
        AND parent IN (SELECT s.id FROM sessions s WHERE ${where})`,
      sql<(SumsRow & { project: string })[]>`SELECT coalesce(cwd, '') AS project, ${own} FROM sessions s WHERE ${where}
        GROUP BY 1 ORDER BY coalesce(max(ended_at), -1) DESC, 1`,
    ]),
  );
  const sums = ({ partial, sessions, calls, tokens, usd }: SumsRow): SessionSums => ({
    sessions,
    calls,
    tokens,
    usd,
    isPartial: partial,
  });
  return {
    sums: { ...sums(all[0]!), subAgents: agents[0]!.sessions === 0 ? null : sums(agents[0]!) },
    groups: groups.map((row) => ({ project: row.project, ...sums(row) })),
  };
}

const orderOf = (sort: Sort, dir: "asc" | "desc"): string => `${SORTS[sort]} ${dir} NULLS LAST, id DESC`;
