// Usage of all sessions by quarter of an hour, model and agent. Each day is either summed, or marked as behind: then its sessions'
// own rows are read in its place. So an answer is exact at any moment, and summing may come later, by any node.
import { hash } from "node:crypto";
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { ZoneStep } from "#lib/kernel/load/zone-days.ts";
import type { Fleet, Fragment } from "./open-fleet.ts";
import { inProjects, type Projects } from "./visible-projects.ts";

/** A day of UTC (ms). */
const DAY = 86_400_000;

const FIGURES = ["calls", "input", "read", "written", "output", "reasoning"] as const;
const SUMS = [...FIGURES.map((name) => `sum(u.${name})`), "sum(u.usd)", "bool_or(u.unsure)"].join(", ");

/** Sums one day that is behind; false where none is, or another node is at it. */
export async function sumDay({ sql, ask }: Fleet): Promise<boolean> {
  return ask(() =>
    sql.begin(async (tx) => {
      // The oldest first: today is behind again soon.
      const [due] = await tx<{ project: string; day: number }[]>`
        SELECT project, day FROM usage_dirty GROUP BY project, day ORDER BY day LIMIT 1`;
      if (due === undefined) return sumHours(tx);
      const { project, day } = due;
      if (!(await isMine(tx, project, day))) return false;
      // A writer whose rows are not committed has a mark that is not seen here, or holds the one that is: its day stays marked,
      // or is waited for. Each statement sees what was committed before it began.
      await tx`DELETE FROM usage_dirty WHERE project = ${project} AND day = ${day}`;
      const [from, to] = [day * DAY, (day + 1) * DAY];
      await tx`DELETE FROM usage_quarters WHERE project = ${project} AND at >= ${from} AND at < ${to}`;
      await tx`INSERT INTO usage_quarters
        SELECT ${project}, at, model, agent, sum(calls), sum(input), sum(read), sum(written), sum(output), sum(reasoning), sum(usd),
          bool_or(unsure), sum(cuts) FROM (
          SELECT u.at, u.model, coalesce(s.agent_key, s.format) AS agent, ${tx.unsafe(SUMS_AS)}, 0 AS cuts
          FROM session_usage u JOIN sessions s ON s.project = u.project AND s.id = u.session
          WHERE u.project = ${project} AND u.at >= ${from} AND u.at < ${to} GROUP BY 1, 2, 3
          UNION ALL
          SELECT c.at, coalesce(s.model, ''), coalesce(s.agent_key, s.format), 0, 0, 0, 0, 0, 0, NULL, false, sum(c.cuts)
          FROM session_cuts c JOIN sessions s ON s.project = c.project AND s.id = c.session
          WHERE c.project = ${project} AND c.at >= ${from} AND c.at < ${to} GROUP BY 1, 2, 3) parts
        GROUP BY at, model, agent`;
      return true;
    }),
  );
}

/** Sums the hours of the latest day that an older version summed without them; false where none is left. */
async function sumHours(tx: FleetTransaction): Promise<boolean> {
  const [due] = await tx<{ project: string; day: number }[]>`
    SELECT project, day FROM usage_hours_due ORDER BY day DESC, project LIMIT 1`;
  if (due === undefined || !(await isMine(tx, due.project, due.day))) return false;
  await tx`SELECT sum_usage_hours(ARRAY[${due.project}::text], ARRAY[${due.day}::integer])`;
  return true;
}

/** False where another node sums this day. */
async function isMine(tx: FleetTransaction, project: string, day: number): Promise<boolean> {
  const [lock] = await tx<{ got: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(${lockOf(project, day)}::bigint) AS got`;
  return lock?.got === true;
}

const SUMS_AS = SUMS.split(", ")
  .map((sum, n) => `${sum} AS ${[...FIGURES, "usd", "unsure"][n]!}`)
  .join(", ");

export type Moments = { readonly from: number | null; readonly to: number | null };

/** The condition that a row's moment lies between two. */
export const between = ({ sql }: Pick<Fleet, "sql">, { from, to }: Moments, column: string): Fragment =>
  sql`${from === null ? sql`true` : sql`${sql(column)} >= ${from}`} AND ${to === null ? sql`true` : sql`${sql(column)} <= ${to}`}`;

/** Columns of the rows below. */
const COLUMNS = ["at", "model", "agent", ...FIGURES, "usd", "unsure", "cuts"].join(", ");

/**
 * Rows of at, model, agent, the figures and cuts, and where they are told apart by it the project: summed days as they are summed, by
 * day where its midnight is kept, of all projects together for whoever sees all; others by session.
 */
export const usageRows = (
  fleet: Pick<Fleet, "sql">,
  visible: Projects,
  moments: Moments,
  steps: readonly ZoneStep[],
  isByProject = false,
): Fragment => {
  const { sql } = fleet;
  const days = keptDays(steps);
  const project = (of: Fragment): Fragment => (isByProject ? sql`, ${of}` : sql``);
  const isBehind = sql`EXISTS (SELECT 1 FROM usage_dirty d WHERE d.project = q.project AND d.day = (q.at / ${DAY}::bigint)::integer)`;
  const summed = (table: "usage_days" | "usage_quarters"): Fragment => sql`
    SELECT ${sql.unsafe(COLUMNS)} ${project(sql`q.project`)} FROM ${sql(table)} q WHERE ${inProjects(fleet, visible)} AND ${between(fleet, moments, "at")}
      AND NOT ${isBehind}`;
  const during = ({ from, to }: Span): Fragment => sql`at >= ${from} AND ${to === null ? sql`true` : sql`at < ${to}`}`;
  /** All projects together. Of a day on which one is behind, the others have their own rows. */
  const together = (days: KeptDays): Fragment => sql`
    SELECT at, model, agent, ${sql.unsafe(FIGURES.join(", "))}, CASE WHEN priced > 0 THEN usd::float8 END AS usd, unsure > 0 AS unsure, cuts
    FROM usage_all_days q WHERE cut = ${days.cut} AND ${during(days)} AND ${between(fleet, moments, "at")}
      AND NOT EXISTS (SELECT 1 FROM usage_dirty d WHERE d.day = (q.at / ${DAY}::bigint)::integer)
    UNION ALL
    SELECT ${sql.unsafe(COLUMNS)} FROM (SELECT DISTINCT day FROM usage_dirty) d
    JOIN usage_days q ON q.at >= d.day::bigint * ${DAY}::bigint AND q.at < (d.day::bigint + 1) * ${DAY}::bigint
    WHERE cut = ${days.cut} AND ${during(days)} AND ${between(fleet, moments, "at")} AND NOT ${isBehind}`;
  const parts = days.map((one) =>
    visible === "all" && !isByProject
      ? sql`${together(one)} UNION ALL`
      : sql`${summed("usage_days")} AND cut = ${one.cut} AND ${during(one)} UNION ALL`,
  );
  const rest = gapsOf(days).map((gap) => sql`${summed("usage_quarters")} AND ${during(gap)} UNION ALL`);
  const behind = (table: "u" | "c"): Fragment => sql`
    FROM (SELECT DISTINCT project, day FROM usage_dirty WHERE ${inProjects(fleet, visible)}) d
    JOIN ${sql.unsafe(table === "u" ? "session_usage" : "session_cuts")} ${sql(table)} ON ${sql(table)}.project = d.project
      AND ${sql(table)}.at >= d.day::bigint * ${DAY}::bigint AND ${sql(table)}.at < (d.day::bigint + 1) * ${DAY}::bigint
    JOIN sessions s ON s.project = ${sql(table)}.project AND s.id = ${sql(table)}.session
    WHERE ${between(fleet, moments, `${table}.at`)}`;
  return sql`${[...parts, ...rest].reduce<Fragment>((all, part) => sql`${all} ${part}`, sql``)}
    SELECT u.at, u.model, coalesce(s.agent_key, s.format), u.calls, u.input, u.read, u.written, u.output, u.reasoning, u.usd, u.unsure, 0
    ${project(sql`d.project`)} ${behind("u")}
    UNION ALL
    SELECT c.at, coalesce(s.model, ''), coalesce(s.agent_key, s.format), 0, 0, 0, 0, 0, 0, NULL, false, c.cuts ${project(sql`d.project`)} ${behind("c")}`;
};

/** From a moment until before another; null where it does not end. */
type Span = { readonly from: number; readonly to: number | null };
/** Days of UTC whose parts before and after a zone's midnight are summed: `cut` counts its half hours. */
type KeptDays = Span & { readonly cut: number };

const HALF_HOUR = 1_800_000;
/** Each whole hour, and India's midnight (fleet-schema-6.ts). */
const isKeptCut = (cut: number): boolean => cut % 2 === 0 || cut === 37;

/**
 * A day on which the clocks are changed goes with those before or those after: its one midnight is theirs. Where it is not so simple the day
 * is summed by quarters, and so is the first, whose calls may have no time.
 */
export function keptDays(steps: readonly ZoneStep[]): KeptDays[] {
  const midnights = steps.map(({ offsetMs }) => ((-offsetMs % DAY) + DAY) % DAY);
  const changes = steps.slice(1).map(({ from }, n) => {
    const day = Math.floor(from / DAY) * DAY;
    const [before, after] = [midnights[n]! - (from - day), midnights[n + 1]! - (from - day)];
    const isOfBefore = before < 0 && after < 0;
    const isOfAfter = before > 0 && after >= 0;
    return { to: isOfBefore ? day + DAY : day, from: isOfAfter ? day : day + DAY };
  });
  return midnights
    .map((midnight, n) => ({
      cut: midnight / HALF_HOUR,
      from: Math.max(DAY, changes[n - 1]?.from ?? DAY),
      to: changes[n]?.to ?? null,
    }))
    .filter(({ cut, from, to }) => isKeptCut(cut) && (to === null || from < to));
}

/** What lies between them. */
function gapsOf(days: readonly KeptDays[]): Span[] {
  const gaps: Span[] = [];
  let at: number | null = 0;
  for (const { from, to } of days) {
    if (at !== null && at < from) gaps.push({ from: at, to: from });
    at = to;
  }
  return at === null ? gaps : [...gaps, { from: at, to: null }];
}

const lockOf = (project: string, day: number): string =>
  String(hash("sha256", `day ${day} ${project}`, "buffer").readBigInt64BE() >> 1n);
