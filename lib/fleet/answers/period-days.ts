// Days of a report as the database groups them: a year of months is twelve rows of each group, and not as many as it has days.
import type { TableRequest } from "#lib/archive/load/usage-report.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";

const DAY = 86_400_000;
const dayNumber = (name: string): number => Date.parse(`${name}T00:00:00Z`) / DAY;

/** The condition that `day`, since 1970, is one of those asked for; a call without a time is on none. */
export function isOfDays({ sql }: Pick<Fleet, "sql">, { since, until }: TableRequest): Fragment {
  const from = since === undefined ? sql`true` : sql`day >= ${dayNumber(since)}`;
  return until === undefined ? from : sql`${from} AND day <= ${dayNumber(until)}`;
}

/** The first day of the period of `day`, of those asked for: in the same period, and within the same days. */
export function periodDay({ sql }: Pick<Fleet, "sql">, { period, weekStart, since }: TableRequest): Fragment {
  if (period === "daily" || period === "sessions") return sql`day`;
  const first =
    period === "monthly"
      ? sql`date_trunc('month', (DATE '1970-01-01' + day::integer)::timestamp)::date - DATE '1970-01-01'`
      : // 1 January 1970 was a Thursday.
        sql`day - (day + ${weekStart === "monday" ? 3 : 4}::integer) % 7`;
  return since === undefined ? first : sql`greatest(${first}, ${dayNumber(since)}::integer)`;
}
