// The report of usage of a fleet: its rows come out of the database, and go through the functions that sum those of one machine.
import { byLabel } from "#lib/archive/load/usage-facets.ts";
import type { GroupRow } from "#lib/archive/load/usage-groups.ts";
import type { CallsRow, CutRow, ToolsRow } from "#lib/archive/load/usage-rows.ts";
import { NO_SESSION, zoneDays, type UsageKey } from "#lib/archive/load/usage-rows.ts";
import { reportOf, rowsWanted, type RowsWanted, type TableRequest } from "#lib/archive/load/usage-report.ts";
import { fail } from "#lib/kernel/errors.ts";
import { zoneSteps, type ZoneStep } from "#lib/kernel/load/zone-days.ts";
import type { FleetGroup, UnusedAnswer, UsageAnswer } from "#lib/wire/usage-schema.ts";
import { unusedRow, type UnusedRow } from "#lib/archive/load/list-unused.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { keptValues } from "../list/kept-counts.ts";
import { hasHours, hourRows, isOfHours, type HourKind } from "../usage-hours.ts";
import { between, usageRows } from "../usage-quarters.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { isOfDays, periodDay } from "./period-days.ts";
import { foldedGroups, foldedSessions } from "./folded-usage.ts";
import { withinTime } from "./report-limit.ts";
import { exactly } from "#lib/kernel/exactly.ts";

/** Rows of one report, at most: what is more is no table for people, and would fill a node's memory. */
const ROWS = 200_000;
/** No agent wrote a session before. */
const FIRST = Date.UTC(2015, 0);
const FACETS = 200;

export async function fleetUsage(
  fleet: Fleet,
  request: TableRequest,
  visible: Projects,
  now: number,
): Promise<UsageAnswer> {
  const wanted = rowsWanted(request);
  const { span } = wanted;
  const [from, to] = [span.from ?? (await firstMoment(fleet, visible)), span.to ?? now];
  const day = zoneDays(wanted.timezone, from, to);
  // A call that has no time, of a session that has none, has the moment 0.
  const dayOf = (at: string): string => `CASE WHEN ${at} = 0 THEN NULL ELSE ${day(at)} END`;
  const asked = { wanted, dayOf, steps: zoneSteps(wanted.timezone, from, to) };
  const [rows, reported, facets] = await fleet.ask(() =>
    Promise.all([
      wayOf(fleet, visible, asked).then((rowsOf) => rowsOf(fleet, request, visible, asked)),
      request.period === "sessions" ? reportedCosts(fleet, visible) : null,
      request.facets === undefined ? null : usageFacets(fleet, visible),
    ]),
  );
  return reportOf(request, { ...rows, reported, facets });
}

type Asked = {
  readonly wanted: RowsWanted;
  readonly dayOf: (at: string) => string;
  readonly steps: readonly ZoneStep[];
};
type Rows = {
  readonly calls: (CallsRow & { readonly tools?: string | null })[];
  readonly cuts: CutRow[] | null;
  readonly groups?: readonly GroupRow[];
};

const FIGURES = [
  ...["calls", "input", "read", "written", "output", "reasoning"].map((name) => `sum(u.${name})::bigint AS ${name}`),
  "sum(u.usd) AS usd",
  "bool_or(u.unsure)::int AS unsure",
].join(", ");

/** What rows are told apart by, as columns of a session and its family; what is not asked for is empty. */
const COLUMNS: Readonly<Record<UsageKey | FleetGroup, readonly string[]>> = {
  session: ["s.id", "s.title", "s.cwd", "coalesce(s.agent_key, s.format) AS agent_name"],
  project: ["s.cwd"],
  agent: ["coalesce(s.agent_key, s.format) AS agent_name"],
  person: ["f.person"],
  sender: ["f.sender"],
  "fleet-project": ["u.project AS fleet_project"],
};

type Way = (fleet: Fleet, request: TableRequest, visible: Projects, asked: Asked) => Promise<Rows>;

/** What sums of hours have of these keys. */
const KINDS: Readonly<Partial<Record<UsageKey | FleetGroup, HourKind>>> = {
  project: "folder",
  person: "person",
  sender: "sender",
};

/** Where none of sessions, folders and tools is asked for, the sums of days answer; where one is, those of hours. */
async function wayOf(fleet: Fleet, visible: Projects, { wanted, steps }: Asked): Promise<Way> {
  const { keys, hasTools, span } = wanted;
  const kinds = [...keys.flatMap((key) => KINDS[key] ?? []), ...(hasTools ? (["tools"] as const) : [])];
  if (keys.includes("session") || kinds.length > 1) return sessionRows;
  const [kind] = kinds;
  if (kind === undefined) return summedDays;
  return isOfHours(steps) && (await hasHours(fleet, visible, span)) ? summedHours(kind) : sessionRows;
}

/** Calls and compactions out of the sums of days. */
const summedDays: Way = (fleet, request, visible, asked) => {
  const { wanted, steps } = asked;
  const isByProject = wanted.keys.includes("fleet-project");
  return summedRows(fleet, request, asked, usageRows(fleet, visible, wanted.span, steps, isByProject), null);
};

/** The same out of the sums of hours. */
const summedHours =
  (kind: HourKind): Way =>
  (fleet, request, visible, asked) =>
    withinTime(fleet, (sql) => {
      const { span } = asked.wanted;
      const value = kind === "folder" ? span.project : null;
      return summedRows(
        { ...fleet, sql },
        request,
        asked,
        hourRows({ sql }, visible, span, { kind, value }),
        kind === "folder" ? "cwd" : kind,
      );
    });

/** `valueAs`: the column that takes what rows belong to. */
async function summedRows(
  fleet: Pick<Fleet, "sql">,
  request: TableRequest,
  { wanted, dayOf }: Asked,
  summed: Fragment,
  valueAs: "cwd" | "person" | "sender" | "tools" | null,
): Promise<Rows> {
  const { sql } = fleet;
  const agent = wanted.keys.includes("agent") ? sql`u.agent` : sql`NULL`;
  const project = wanted.keys.includes("fleet-project") ? sql`u.project` : sql`NULL`;
  const each = sql`SELECT ${periodDay({ sql }, request)} AS day, nullif(u.model, '') AS model, ${agent} AS agent_name,
      ${project} AS fleet_project, ${sql.unsafe(FIGURES)}, sum(u.cuts)::int AS cuts ${valueAs === null ? sql`` : sql`, u.value`}
    FROM (SELECT s.*, ${sql.unsafe(dayOf("s.at"))} AS day FROM (${summed}) s) u WHERE ${isOfDays({ sql }, request)}
    GROUP BY 1, 2, 3, 4 ${valueAs === null ? sql`` : sql`, u.value`}`;
  const { top, by } = request;
  // A call of several tools is a part of each: whoever has the rows takes it apart.
  const isFolded = valueAs !== null && valueAs !== "tools" && by === (valueAs === "cwd" ? "project" : valueAs);
  const folded =
    top !== undefined && isFolded
      ? await foldedGroups(fleet, { ...request, top }, each, { valueAs, most: ROWS })
      : null;
  const value = valueAs === null ? sql`` : sql`, nullif(value, '') AS ${sql(valueAs)}`;
  const rows =
    folded?.rows ?? (await sql<(CallsRow & CutRow)[]>`SELECT u.* ${value} FROM (${each}) u LIMIT ${ROWS + 1}`);
  const all = whole(rows, request);
  return {
    calls: all.filter(({ calls }) => calls > 0),
    cuts: wanted.isCut ? all.filter(({ cuts }) => cuts > 0) : null,
    ...(folded !== null && { groups: folded.groups }),
  };
}

/** The same session by session. */
const sessionRows: Way = (fleet, request, visible, asked) =>
  withinTime(fleet, async (sql) => {
    const within = { ...fleet, sql };
    const { top, period, by } = request;
    if (top !== undefined && period === "sessions" && by === undefined)
      return topSessions(within, { ...request, top }, visible, asked);
    return {
      calls: await callRows(within, request, visible, asked),
      cuts: asked.wanted.isCut ? await cutRows(within, request, visible, asked) : null,
    };
  });

/** Of those that the page shows, and one row for all others. */
async function topSessions(
  fleet: Fleet,
  request: TableRequest & { readonly top: number },
  visible: Projects,
  { wanted, dayOf }: Asked,
): Promise<Rows> {
  const { sql } = fleet;
  const agent = request.agent === undefined ? sql`NULL` : sql`coalesce(s.agent_key, s.format)`;
  const isSessionAsked = request.agent !== undefined || wanted.span.project !== null;
  const rowsOf = (columns: string, table: "session_usage" | "session_cuts", isJoined: boolean): Fragment => sql`
    SELECT u.project, u.session AS value, ${sql.unsafe(dayOf("u.at"))} AS day, ${agent} AS agent_name, ${sql.unsafe(columns)}
    FROM ${sql(table)} u ${isJoined ? sql`JOIN sessions s ON s.project = u.project AND s.id = u.session` : sql``}
    WHERE ${within(fleet, visible, wanted, "u")}`;
  const each = sql`SELECT project, value, day, nullif(u.model, '') AS model, agent_name, ${sql.unsafe(FIGURES)}, sum(u.cuts)::int AS cuts
    FROM (${rowsOf("u.model, u.calls, u.input, u.read, u.written, u.output, u.reasoning, u.usd, u.unsure, 0 AS cuts", "session_usage", isSessionAsked)}
      UNION ALL ${rowsOf("s.model, 0, 0, 0, 0, 0, 0, NULL, false, u.cuts", "session_cuts", true)}) u
    WHERE ${isOfDays({ sql }, request)} GROUP BY 1, 2, 3, 4, 5`;
  const rows = whole(await foldedSessions(fleet, request, each, ROWS), request);
  return {
    calls: rows.filter(({ calls }) => calls > 0),
    cuts: wanted.isCut ? rows.filter(({ cuts }) => cuts > 0) : null,
    groups: [],
  };
}

async function callRows(
  fleet: Fleet,
  request: TableRequest,
  visible: Projects,
  { wanted, dayOf }: Asked,
): Promise<Rows["calls"]> {
  const { sql } = fleet;
  const day = sql.unsafe(dayOf("u.at"));
  const keys = keyColumns(wanted);
  const tools = wanted.hasTools ? sql`nullif(u.tools, '') AS tools,` : sql``;
  const rows = await sql<ToolsRow[]>`SELECT ${sql.unsafe(keys.map((one) => `${one},`).join(" "))} ${tools}
      ${day} AS day, nullif(u.model, '') AS model, ${sql.unsafe(FIGURES)}
    FROM session_usage u ${sessionsOf(fleet, keys, wanted)} WHERE ${within(fleet, visible, wanted, "u")}
    GROUP BY ${sql.unsafe(numbers(keys.length + (wanted.hasTools ? 1 : 0) + 2))} LIMIT ${ROWS + 1}`;
  return whole(rows, request);
}

async function cutRows(
  fleet: Fleet,
  request: TableRequest,
  visible: Projects,
  { wanted, dayOf }: Asked,
): Promise<CutRow[]> {
  const { sql } = fleet;
  const day = sql.unsafe(dayOf("u.at"));
  const keys = [...keyColumns(wanted), "s.model"];
  const rows = await sql<CutRow[]>`SELECT ${sql.unsafe(keys.join(", "))}, ${day} AS day, sum(u.cuts)::int AS cuts
    FROM session_cuts u ${sessionsOf(fleet, keys, wanted)} WHERE ${within(fleet, visible, wanted, "u")}
    GROUP BY ${sql.unsafe(numbers(keys.length + 1))} LIMIT ${ROWS + 1}`;
  return whole(rows, request);
}

const keyColumns = ({ keys }: RowsWanted): string[] => [...new Set(keys.flatMap((key) => COLUMNS[key]))];

const sessionsOf = ({ sql }: Fleet, keys: readonly string[], { span }: RowsWanted): Fragment => {
  if (keys.length === 0 && span.project === null) return sql``;
  const sessions = sql`JOIN sessions s ON s.project = u.project AND s.id = u.session`;
  // A subquery for each session took 48 s over a year of a million sessions, and this 20.
  return keys.some((key) => key.startsWith("f."))
    ? sql`${sessions} LEFT JOIN families f ON f.project = s.project AND f.id = s.family`
    : sessions;
};

const within = (fleet: Fleet, visible: Projects, { span }: RowsWanted, table: string): Fragment =>
  fleet.sql`${inProjects(fleet, visible, `${table}.project`)} AND ${between(fleet, span, `${table}.at`)}
    ${span.project === null ? fleet.sql`` : fleet.sql`AND coalesce(s.cwd, '') = ${span.project}`}`;

const numbers = (to: number): string => Array.from({ length: to }, (_, n) => n + 1).join(", ");

/** Rows as a report takes them; fails where there are too many for one. */
function whole<Row extends object>(rows: readonly Row[], { period }: TableRequest): (Row & typeof NO_SESSION)[] {
  if (rows.length > ROWS)
    fail(
      "too_large",
      `This report has more than ${exactly(ROWS)} rows. Choose fewer days${period === "sessions" ? "" : ", or another grouping"}.`,
    );
  return rows.map((row) => ({ ...NO_SESSION, ...row }));
}

async function firstMoment(fleet: Fleet, visible: Projects): Promise<number> {
  const { sql } = fleet;
  const [row] = await fleet.ask(
    () => sql<{ at: number | null }[]>`SELECT least(
      (SELECT min(at) FROM usage_quarters WHERE at > 0 AND ${inProjects(fleet, visible)}),
      (SELECT min(day)::bigint * 86400000 FROM usage_dirty WHERE day > 0 AND ${inProjects(fleet, visible)})) AS at`,
  );
  return Math.max(row?.at ?? FIRST, FIRST);
}

async function reportedCosts(fleet: Fleet, visible: Projects): Promise<ReadonlyMap<string, number>> {
  const rows = await fleet.sql<{ id: string; usd: number }[]>`SELECT id, reported_usd AS usd FROM sessions
    WHERE reported_usd IS NOT NULL AND ${inProjects(fleet, visible)} LIMIT ${ROWS}`;
  return new Map(rows.map(({ id, usd }) => [id, usd]));
}

async function usageFacets(fleet: Fleet, visible: Projects): Promise<NonNullable<UsageAnswer["facets"]>> {
  const { sql } = fleet;
  const of = (by: "agent" | "cwd" | "model") => sql<{ value: string; count: number }[]>`
    SELECT value, sum(calls)::int AS count FROM ${keptValues(fleet, { visible }, by)} WHERE value <> '' GROUP BY 1
    HAVING sum(calls) > 0 ORDER BY 2 DESC, 1 LIMIT ${FACETS}`;
  const [agents, projects, models] = await Promise.all([of("agent"), of("cwd"), of("model")]);
  return { agents: byLabel(agents), projects: [...projects], models: [...models] };
}

/** What sessions of the last days carried in every prompt and did not use. */
export async function fleetUnused(fleet: Fleet, days: number, visible: Projects, now: number): Promise<UnusedAnswer> {
  const { sql, ask } = fleet;
  const rows = await ask(
    () => sql<
      UnusedRow[]
    >`SELECT kind, name, count(*) AS sessions, max(tokens) AS tokens, sum(sent)::bigint AS sent, sum(usd) AS usd,
        sum(uses) AS uses, min(at) AS first, max(at) AS last
      FROM session_carried WHERE ${inProjects(fleet, visible)} AND at >= ${now - days * 86_400_000} GROUP BY kind, name, uses IS NULL
      HAVING coalesce(sum(uses), 0) = 0 ORDER BY usd DESC NULLS LAST, sent DESC, name COLLATE "C", uses NULLS FIRST`,
  );
  return { days, rows: rows.map((row) => unusedRow(row, days)) };
}
