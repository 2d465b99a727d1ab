// What a report of usage is summed from: calls and compactions of a local day and model, and of what else the report asks for.
import { columns, query, type Columns, type RowOf } from "#db/statement.ts";
import type { Connection } from "#db/connection.ts";
import { DAY_MS, zoneSteps, type ZoneStep } from "#lib/kernel/load/zone-days.ts";
import { ROW_BITS } from "../base/row-keys.ts";

const SESSION = columns("sessions", "id", "title", "cwd", "agent_name", "format");

/** In the place of what nobody asks for. */
export const NO_SESSION = { id: "", title: "", cwd: null, agent_name: null, format: "" } as const;

const FIGURES = {
  /** Since 1970, by the zone's own clocks. */
  day: "integer?",
  calls: "integer",
  input: "integer",
  read: "integer",
  written: "integer",
  output: "integer",
  reasoning: "integer",
  usd: "real?",
  unsure: "integer",
} as const satisfies Columns;

const FIGURES_ROW = { model: "model_calls.model", ...FIGURES } as const satisfies Columns;
const CALLS_ROW = { ...SESSION, ...FIGURES_ROW } as const satisfies Columns;
/** Calls of one day and model, and of one session, project or agent where that is asked for: else those are empty. */
export type CallsRow = RowOf<typeof CALLS_ROW>;

const TOOLS_ROW = { ...CALLS_ROW, tools: "text?" } as const satisfies Columns;
/** Those that asked for these tools: JSON of names, each as often as it was called. */
export type ToolsRow = RowOf<typeof TOOLS_ROW>;

const CUT_ROW = { ...SESSION, model: "sessions.model", day: "integer?", cuts: "integer" } as const satisfies Columns;
/** Compactions of one session and day, or of all that are alike in what is asked for. */
export type CutRow = RowOf<typeof CUT_ROW>;

/** What a report tells rows apart by. */
export type KeyedRow = Omit<CutRow, "cuts"> & {
  /** Of a fleet: whose token sent the session, from which machine, and to which project. */
  readonly person?: string | null;
  readonly sender?: string;
  readonly fleet_project?: string;
  /** Of how many groups together, those that `top` leaves out of the row's period, where whoever read them folded them. */
  readonly others?: number;
};

/** Milliseconds since 1970; sessions that ended before or began after, and other projects than one, are left out. */
export type Span = { readonly from: number | null; readonly to: number | null; readonly project: string | null };

/** The true cost of a call is more than its dollars. */
export const UNSURE = [
  "m.has_usage = 0",
  "m.output_lower_bound = 1",
  "(m.usd IS NULL AND m.input_uncached + m.cache_read + m.cache_write + m.output > 0)",
  "(m.output > 0 AND m.input_uncached + m.cache_read + m.cache_write = 0)",
].join(" OR ");

/** An expression for the local day of a moment. */
export type DayOf = (at: string) => string;

/** The days of a zone, for as long as there are sessions. */
export function localDays({ sqlite }: Connection, timezone: string): DayOf {
  const { from, to } = query(
    sqlite,
    { from: "integer?", to: "integer?" },
    `SELECT (SELECT min(started_at) FROM sessions) AS "from", (SELECT max(ended_at) FROM sessions) AS "to"`,
  ).get()!;
  const now = Date.now();
  return zoneDays(timezone, from ?? now, to ?? now);
}

/** The days of a zone between two moments. */
export function zoneDays(timezone: string, from: number, to: number): DayOf {
  const steps = zoneSteps(timezone, from, to);
  return (at) => `((${at} + ${offsetIn(steps, at)}) / ${DAY_MS})`;
}

function offsetIn(steps: readonly ZoneStep[], at: string): string {
  if (steps.length === 1) return String(steps[0]!.offsetMs);
  const before = steps.slice(1).map(({ from }, i) => `WHEN ${at} < ${from} THEN ${steps[i]!.offsetMs}`);
  return `CASE ${before.join(" ")} ELSE ${steps.at(-1)!.offsetMs} END`;
}

/** Counts of a call, and what they are named here. */
const COUNTS = [
  ["input_uncached", "input"],
  ["cache_read", "read"],
  ["cache_write", "written"],
  ["output", "output"],
  ["reasoning", "reasoning"],
  ["usd", "usd"],
] as const;
const SUMS = [
  "count(*) AS calls",
  ...COUNTS.map(([column, name]) => `sum(m.${column}) AS ${name}`),
  `max(${UNSURE}) AS unsure`,
].join(", ");
const SUMMED = ["calls", ...COUNTS.map(([, name]) => name)].map((name) => `sum(p.${name}) AS ${name}`).join(", ");

/** Own calls of sessions within the span, by the indexes of their times. */
const callsWithin = ({ from, to }: Span): string =>
  [
    "m.inherited = 0",
    ...(from === null ? [] : ["m.session_pk IN (SELECT pk FROM sessions WHERE ended_at >= @from)"]),
    ...(to === null ? [] : ["m.session_pk IN (SELECT pk FROM sessions WHERE started_at <= @to OR started_at IS NULL)"]),
  ].join(" AND ");

const KEYS = { session: ["s.pk"], project: ["s.cwd"], agent: ["s.agent_name", "s.format"] } as const;
export type UsageKey = keyof typeof KEYS;

/** Sessions whose calls do not count: earlier versions of a file. Both sets are small, and have an index of their own. */
const EARLIER = "SELECT pk FROM sessions WHERE earlier IS NOT NULL";
/** A session whose file lost calls is unsure on all its days: nothing says when they were. The words are those of the index. */
const LOST = "SELECT pk FROM sessions WHERE iif(json_valid(tally), json_extract(tally, '$.lost'), 1) IS NOT NULL";

/** A call without a time is of the day on which its session began. */
const dayOfPart = (day: DayOf): string =>
  `coalesce(p.day, (SELECT ${day("b.started_at")} FROM sessions b WHERE b.pk = p.session_pk))`;

const figuresOf = (day: DayOf): string =>
  `p.model, ${dayOfPart(day)} AS day, ${SUMMED}, max(p.unsure OR p.session_pk IN (${LOST})) AS unsure`;

const ofSessions = (day: DayOf, span: Span, hasTools: boolean, groups: readonly string[]): string =>
  `SELECT s.id, s.title, s.cwd, s.agent_name, s.format, ${figuresOf(day)}${hasTools ? ", p.tools" : ""}
   FROM parts p JOIN sessions s ON s.pk = p.session_pk
   WHERE p.session_pk NOT IN (${EARLIER})${span.project === null ? "" : " AND coalesce(s.cwd, '') = @project"}
   GROUP BY ${["7", "p.model", ...groups].join(", ")}`;

/** Where nothing of a session is asked for, its row is not read: rows of 10,000 sessions take longer than their calls. */
const ofAll = (day: DayOf): string =>
  `SELECT ${figuresOf(day)} FROM parts p WHERE p.session_pk NOT IN (${EARLIER}) GROUP BY 2, p.model`;

/**
 * Calls are sorted by session on the disk: those of a session that has one day and one model are summed as they come, and only the
 * others are sorted. A year of 56,000 calls in 10,000 sessions takes a fifth of what sorting all took.
 */
export function usageByDay(
  { sqlite }: Connection,
  span: Span,
  { day, keys }: { readonly day: DayOf; readonly keys: readonly UsageKey[] },
): CallsRow[] {
  const isOne = [
    "count(m.model) IN (0, count(*)) AND min(m.model) IS max(m.model)",
    `count(m.ts) IN (0, count(*)) AND ${day("min(m.ts)")} IS ${day("max(m.ts)")}`,
  ].join(" AND ");
  const groups = keys.flatMap((key) => KEYS[key]);
  const isOfAll = groups.length === 0 && span.project === null;
  const text = `WITH whole AS MATERIALIZED (
      SELECT m.session_pk, min(m.model) AS model, ${day("min(m.ts)")} AS day, ${SUMS}, ${isOne} AS is_one
      FROM model_calls m WHERE ${callsWithin(span)} GROUP BY m.session_pk),
    parts AS (
      SELECT session_pk, model, day, calls, input, read, written, output, reasoning, usd, unsure FROM whole WHERE is_one
      UNION ALL
      SELECT m.session_pk, m.model, ${day("m.ts")} AS day, ${SUMS}
      FROM whole w JOIN model_calls m ON m.session_pk = w.session_pk
      WHERE NOT w.is_one AND m.inherited = 0 GROUP BY m.session_pk, m.model, 3)
    ${isOfAll ? ofAll(day) : ofSessions(day, span, false, groups)}`;
  if (!isOfAll) return query(sqlite, CALLS_ROW, text).all(span);
  const rows = query(sqlite, FIGURES_ROW, text).all(span);
  return rows.map((row) => ({ ...NO_SESSION, ...row }));
}

/**
 * A call's tools are those of its tool calls; of a call without one they are null. The session is named by its column: SQLite finds
 * nothing by an expression, and looked through the calls of all 10,000 sessions for each call, for 30 s.
 */
export function usageByTools(
  { sqlite }: Connection,
  span: Span,
  { day, keys }: { readonly day: DayOf; readonly keys: readonly UsageKey[] },
): ToolsRow[] {
  const text = `WITH parts AS (
      SELECT m.session_pk, m.model, ${day("m.ts")} AS day, ${SUMS}, a.tools AS tools
      FROM model_calls m LEFT JOIN (
        SELECT i.session_pk, e.call, json_group_array(i.tool_name ORDER BY i.tool_name) AS tools
        FROM tool_interactions i JOIN events e ON e.id = (i.session_pk << ${ROW_BITS}) + i.call_seq
        GROUP BY i.session_pk, e.call) a ON a.session_pk = m.session_pk AND a.call = m.call
      WHERE ${callsWithin(span)} GROUP BY m.session_pk, m.model, 3, tools)
    ${ofSessions(day, span, true, [...keys.flatMap((key) => KEYS[key]), "p.tools"])}`;
  return query(sqlite, TOOLS_ROW, text).all(span);
}

const QUARTER_ROW = {
  /** Where the quarter of an hour begins (ms): each zone's days are whole numbers of them. */
  at: "integer",
  model: "model_calls.model",
  tools: "text?",
  ...FIGURES,
  day: "integer?",
} as const satisfies Columns;
export type QuarterRow = RowOf<typeof QUARTER_ROW>;

/** The calls of one session by quarter of an hour, model and tools: what a fleet sums. */
export const usageOfSession = ({ sqlite }: Connection, pk: number): QuarterRow[] =>
  query(
    sqlite,
    QUARTER_ROW,
    `SELECT coalesce(m.ts, s.started_at, 0) / 900000 * 900000 AS at, m.model, a.tools AS tools, NULL AS day, ${SUMS.replace(
      "AS unsure",
      "OR max(json_extract(s.tally, '$.lost') IS NOT NULL) AS unsure",
    )}
     FROM model_calls m JOIN sessions s ON s.pk = m.session_pk LEFT JOIN (
       SELECT e.call, json_group_array(i.tool_name ORDER BY i.tool_name) AS tools
       FROM tool_interactions i JOIN events e ON e.id = (i.session_pk << ${ROW_BITS}) + i.call_seq
       WHERE i.session_pk = @pk GROUP BY e.call) a ON a.call = m.call
     WHERE m.session_pk = @pk AND m.inherited = 0 GROUP BY 1, m.model, a.tools`,
  ).all({ pk });

/** Compactions of their own, each by the day it was on. */
export const cuts = ({ sqlite }: Connection, span: Span, day: DayOf): CutRow[] =>
  query(
    sqlite,
    CUT_ROW,
    `SELECT s.id, s.title, s.cwd, s.agent_name, s.format, s.model, ${day("coalesce(e.ts, s.started_at)")} AS day, 1 AS cuts
     FROM events e JOIN sessions s ON s.pk = e.id >> ${ROW_BITS}
     WHERE e.type = 'compaction' AND e.inherited = 0 AND s.earlier IS NULL
       AND (@from IS NULL OR coalesce(e.ts, s.started_at) >= @from) AND (@to IS NULL OR coalesce(e.ts, s.started_at) <= @to)`,
  ).all(span);
