// What a report of usage is summed from: calls and compactions of a session, model and quarter of an hour.
import { columns, query, type Columns, type RowOf } from "#db/statement.ts";
import type { Connection } from "#db/connection.ts";
import { QUARTER_MS } from "#lib/kernel/load/usage-periods.ts";
import { ROW_BITS } from "../base/row-keys.ts";

const SESSION = columns("sessions", "id", "title", "cwd", "agent_name", "format");

const FIGURES = {
  quarter: "integer?",
  calls: "integer",
  input: "integer",
  read: "integer",
  written: "integer",
  output: "integer",
  reasoning: "integer",
  usd: "real?",
  unsure: "integer",
} as const satisfies Columns;

const QUARTER_ROW = { ...SESSION, model: "model_calls.model", ...FIGURES } as const satisfies Columns;
/** Calls of one session and model within a quarter of an hour. */
export type QuarterRow = RowOf<typeof QUARTER_ROW>;

const TOOLS_ROW = { ...QUARTER_ROW, tools: "text?" } as const satisfies Columns;
/** The same, of calls that asked for these tools: JSON of names, each as often as it was called. */
export type ToolsRow = RowOf<typeof TOOLS_ROW>;

const CUT_ROW = { ...SESSION, model: "sessions.model", quarter: "integer?" } as const satisfies Columns;
export type CutRow = RowOf<typeof CUT_ROW>;

/** Milliseconds since 1970; sessions that ended before, and calls outside, are left out; so are other projects than one. */
export type Span = { readonly from: number | null; readonly to: number | null; readonly project: string | null };

/** The true cost of a call is more than its dollars. */
export const UNSURE = [
  "m.has_usage = 0",
  "m.output_lower_bound = 1",
  "(m.usd IS NULL AND m.input_uncached + m.cache_read + m.cache_write + m.output > 0)",
].join(" OR ");

const AT = "coalesce(m.ts, t.started_at)";

/** `more`: what else parts the calls. A session whose file lost calls is unsure on all its days: nothing says when they were. */
const callsOf = (more: string, join: string): string =>
  `SELECT s.id, s.title, s.cwd, s.agent_name, s.format, c.model, c.quarter, c.calls, c.input, c.read, c.written,
     c.output, c.reasoning, c.usd, c.unsure OR json_extract(s.tally, '$.lost') IS NOT NULL AS unsure${more === "" ? "" : ", c.tools"}
   FROM (
     SELECT m.session_pk, m.model, ${AT} / ${QUARTER_MS} AS quarter, count(*) AS calls,
       sum(m.input_uncached) AS input, sum(m.cache_read) AS read, sum(m.cache_write) AS written, sum(m.output) AS output,
       sum(m.reasoning) AS reasoning, sum(m.usd) AS usd,
       max(${UNSURE}) AS unsure${more}
     FROM sessions t JOIN model_calls m ON m.session_pk = t.pk ${join}
     WHERE m.inherited = 0 AND t.earlier IS NULL AND (@from IS NULL OR (t.ended_at >= @from AND ${AT} >= @from))
       AND (@to IS NULL OR ${AT} <= @to) AND (@project IS NULL OR coalesce(t.cwd, '') = @project)
     GROUP BY m.session_pk, m.model, quarter${more === "" ? "" : ", tools"}) c
   JOIN sessions s ON s.pk = c.session_pk`;

const PLAIN = callsOf("", "");

export const quarters = ({ sqlite }: Connection, span: Span): QuarterRow[] =>
  query(sqlite, QUARTER_ROW, PLAIN).all(span);

/** A call's tools are those of its tool calls; of a call without one they are null. */
const WITH_TOOLS = callsOf(
  ", a.tools AS tools",
  `LEFT JOIN (
     SELECT e.id >> ${ROW_BITS} AS session_pk, e.call, json_group_array(i.tool_name ORDER BY i.tool_name) AS tools
     FROM tool_interactions i JOIN events e ON e.id = (i.session_pk << ${ROW_BITS}) + i.call_seq
     GROUP BY e.id >> ${ROW_BITS}, e.call) a ON a.session_pk = m.session_pk AND a.call = m.call`,
);

export const quartersByTools = ({ sqlite }: Connection, span: Span): ToolsRow[] =>
  query(sqlite, TOOLS_ROW, WITH_TOOLS).all(span);

/** Compactions of their own, each by the quarter it was in. */
export const cuts = ({ sqlite }: Connection, span: Span): CutRow[] =>
  query(
    sqlite,
    CUT_ROW,
    `SELECT s.id, s.title, s.cwd, s.agent_name, s.format, s.model, coalesce(e.ts, s.started_at) / ${QUARTER_MS} AS quarter
     FROM events e JOIN sessions s ON s.pk = e.id >> ${ROW_BITS}
     WHERE e.type = 'compaction' AND e.inherited = 0 AND s.earlier IS NULL
       AND (@from IS NULL OR coalesce(e.ts, s.started_at) >= @from) AND (@to IS NULL OR coalesce(e.ts, s.started_at) <= @to)`,
  ).all(span);
