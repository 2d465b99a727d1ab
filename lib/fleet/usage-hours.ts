// Usage of all sessions by hour, and by whose it is: a folder's, a person's, a sender's, or of calls with the same tools. As with
// quarters, a day that is behind is read session by session.
import type { ZoneStep } from "#lib/kernel/load/zone-days.ts";
import type { Fleet, Fragment } from "./open-fleet.ts";
import { between, type Moments } from "./usage-quarters.ts";
import { inProjects, type Projects } from "./visible-projects.ts";

export type HourKind = "folder" | "person" | "sender" | "tools";

const [HOUR, DAY] = [3_600_000, 86_400_000];

/** True where each midnight of a zone lies between two hours that are summed. */
export const isOfHours = (steps: readonly ZoneStep[]): boolean => steps.every(({ offsetMs }) => offsetMs % HOUR === 0);

/** Columns of the rows below. */
const COLUMNS = "value, model, agent, calls, input, read, written, output, reasoning, usd, unsure, cuts";

/** What a row of `session_usage` or `session_cuts` belongs to; cuts have no tools. */
const VALUES: Readonly<Record<HourKind, { readonly calls: string; readonly cuts: string }>> = {
  folder: { calls: "coalesce(s.cwd, '')", cuts: "coalesce(s.cwd, '')" },
  person: { calls: "coalesce(f.person, '')", cuts: "coalesce(f.person, '')" },
  sender: { calls: "coalesce(f.sender, '')", cuts: "coalesce(f.sender, '')" },
  tools: { calls: "u.tools", cuts: "''" },
};

const dayOf = (at: number | null): number | null => (at === null ? null : Math.floor(at / DAY));

/** False while days between these moments wait for their hours, as after an update from a version that summed none. */
export async function hasHours({ sql }: Fleet, visible: Projects, { from, to }: Moments): Promise<boolean> {
  const days = { from: dayOf(from), to: dayOf(to) };
  const rows =
    await sql`SELECT 1 FROM usage_hours_due WHERE ${inProjects({ sql }, visible)} AND ${between({ sql }, days, "day")} LIMIT 1`;
  return rows.length === 0;
}

/** Rows of project, at, value, model, agent, the figures and cuts. `value`: of this one alone. */
export function hourRows(
  fleet: Pick<Fleet, "sql">,
  visible: Projects,
  moments: Moments,
  { kind, value }: { readonly kind: HourKind; readonly value: string | null },
): Fragment {
  const { sql } = fleet;
  const isAsked = (column: string): Fragment => (value === null ? sql`` : sql`AND ${sql.unsafe(column)} = ${value}`);
  const hourOf = (at: number | null): number | null => (at === null ? null : Math.floor(at / HOUR));
  const hours = { from: hourOf(moments.from), to: hourOf(moments.to) };
  const isBehind = sql`SELECT DISTINCT project, day FROM usage_dirty WHERE ${inProjects(fleet, visible)}`;
  /** Of the sessions of such days. */
  const from = (table: "session_usage" | "session_cuts", of: "calls" | "cuts"): Fragment => sql`
    FROM (${isBehind}) d
    JOIN ${sql(table)} u ON u.project = d.project
      AND u.at >= d.day::bigint * ${DAY}::bigint AND u.at < (d.day::bigint + 1) * ${DAY}::bigint
    JOIN sessions s ON s.project = u.project AND s.id = u.session
    LEFT JOIN families f ON f.project = s.project AND f.id = s.family
    WHERE ${between(fleet, moments, "u.at")} ${isAsked(VALUES[kind][of])}`;
  return sql`
    SELECT h.project, h.hour::bigint * ${HOUR}::bigint AS at, ${sql.unsafe(COLUMNS)} FROM usage_hours h
    WHERE h.kind = ${kind} AND ${inProjects(fleet, visible, "h.project")} AND ${between(fleet, hours, "h.hour")} ${isAsked("h.value")}
      AND NOT EXISTS (SELECT 1 FROM usage_dirty b WHERE b.project = h.project AND b.day = h.hour / 24)
    UNION ALL
    SELECT d.project, u.at, ${sql.unsafe(VALUES[kind].calls)}, u.model, coalesce(s.agent_key, s.format), u.calls, u.input, u.read, u.written,
      u.output, u.reasoning, u.usd, u.unsure, 0 ${from("session_usage", "calls")}
    UNION ALL
    SELECT d.project, u.at, ${sql.unsafe(VALUES[kind].cuts)}, coalesce(s.model, ''), coalesce(s.agent_key, s.format), 0, 0, 0, 0, 0, 0, NULL,
      false, u.cuts ${from("session_cuts", "cuts")}`;
}
