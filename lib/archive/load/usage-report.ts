// Usage of all sessions by period. It sums the rows of `model_calls`, as a session's own cost does, so that the two cannot
// differ: inherited calls count where they began, earlier versions of a file not at all. No table of sums is kept.
import { columns, query, type Columns, type RowOf } from "#db/statement.ts";
import { localDays, periodOf, QUARTER_MS, type Period } from "#lib/kernel/load/usage-periods.ts";
import type { UsageAnswer, UsageRequest, UsageRow } from "#lib/wire/usage-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { addTo, emptySums, finished, type Sums } from "./usage-sums.ts";

/** Calls of one session and model within a quarter of an hour. */
const QUARTER_ROW = {
  ...columns("sessions", "id", "title", "cwd", "agent_name", "format"),
  model: "model_calls.model",
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
type QuarterRow = RowOf<typeof QUARTER_ROW>;

const UNDATED = "undated";
const NO_MODEL = "no model named";
const KEYS = { daily: "date", weekly: "week", monthly: "month", sessions: "sessionId" } as const;

export async function usageReport(archive: Archive, request: UsageRequest): Promise<UsageAnswer> {
  const timezone = request.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const dayOf = localDays(timezone);
  const rows = new Map<string, Building>();
  const totals = emptySums();
  for (const row of quarters(archive)) {
    const day = row.quarter === null ? UNDATED : dayOf(row.quarter);
    if (!isWithin(day, request)) continue;
    const name = nameOf(row, day, request);
    const group = request.by === undefined ? null : groupOf(row, request.by);
    const key = JSON.stringify([name, group]);
    let building = rows.get(key);
    if (building === undefined)
      rows.set(key, (building = { name, group, row, day, sums: emptySums(), models: new Map() }));
    if (day > building.day) building.day = day;
    const model = row.model ?? NO_MODEL;
    const ofModel = building.models.get(model) ?? emptySums();
    building.models.set(model, ofModel);
    for (const sums of [totals, building.sums, ofModel]) addTo(sums, row);
  }
  const found = [...rows.values()].toSorted(request.period === "sessions" ? byActivity : byName);
  return {
    [request.period]: found.map((one) => rowOf(one, request.period)),
    totals: finished(totals),
    timezone,
  };
}

type Building = {
  readonly name: string;
  readonly group: string | null;
  readonly row: QuarterRow;
  /** The last of its days. */
  day: string;
  readonly sums: Sums;
  readonly models: Map<string, Sums>;
};

/** A session whose file lost calls is unsure on all its days: nothing says when they were. */
const quarters = ({ sqlite }: Archive): QuarterRow[] =>
  query(
    sqlite,
    QUARTER_ROW,
    `SELECT s.id, s.title, s.cwd, s.agent_name, s.format, c.model, c.quarter, c.calls, c.input, c.read, c.written,
       c.output, c.reasoning, c.usd, c.unsure OR json_extract(s.tally, '$.lost') IS NOT NULL AS unsure
     FROM (
       SELECT m.session_pk, m.model, coalesce(m.ts, t.started_at) / ${QUARTER_MS} AS quarter, count(*) AS calls,
         sum(m.input_uncached) AS input, sum(m.cache_read) AS read, sum(m.cache_write) AS written, sum(m.output) AS output,
         sum(m.reasoning) AS reasoning, sum(m.usd) AS usd,
         max(m.has_usage = 0 OR m.output_lower_bound = 1
           OR (m.usd IS NULL AND m.input_uncached + m.cache_read + m.cache_write + m.output > 0)) AS unsure
       FROM model_calls m JOIN sessions t ON t.pk = m.session_pk
       WHERE m.inherited = 0 AND t.earlier IS NULL GROUP BY m.session_pk, m.model, quarter) c
     JOIN sessions s ON s.pk = c.session_pk`,
  ).all();

const isWithin = (day: string, { since, until }: UsageRequest): boolean =>
  (since === undefined && until === undefined) ||
  (day !== UNDATED && (since === undefined || day >= since) && (until === undefined || day <= until));

function nameOf({ id }: QuarterRow, day: string, { period, weekStart }: UsageRequest): string {
  if (period === "sessions") return id;
  return day === UNDATED ? day : periodOf(day, period, weekStart);
}

const groupOf = (row: QuarterRow, by: NonNullable<UsageRequest["by"]>): string =>
  ({ agent: row.agent_name ?? row.format, project: row.cwd ?? "", model: row.model ?? NO_MODEL })[by];

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byName = (a: Building, b: Building): number => compare(a.name, b.name) || compare(a.group ?? "", b.group ?? "");
const byActivity = (a: Building, b: Building): number => compare(a.day, b.day) || byName(a, b);

function rowOf({ name, group, row, day, sums, models }: Building, period: Period): UsageRow {
  const byCost = [...models].toSorted(([a, x], [b, y]) => y.totalCost - x.totalCost || compare(a, b));
  return {
    [KEYS[period]]: name,
    ...(period === "sessions" && { title: row.title, projectPath: row.cwd, lastActivity: day }),
    ...(group !== null && { group }),
    ...finished(sums),
    modelsUsed: byCost.map(([model]) => model),
    modelBreakdowns: byCost.map(([modelName, of]) => {
      const { totalCost: cost, cacheShare: _, ...rest } = finished(of);
      return { modelName, cost, ...rest };
    }),
  };
}
