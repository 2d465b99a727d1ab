// Sessions since a moment by format, model and state, from counts that are kept by the day on which they began. The day of the moment
// itself is counted row by row.
import type { Fleet } from "../open-fleet.ts";
import { SUMS } from "./kept-counts.ts";
import type { ListFilters } from "./list-filters.ts";
import type { CountedGroup } from "./list-groups.ts";
import { summed, type SumRow } from "./list-totals.ts";

const DAY = 86_400_000;

/** A row of the list as the counts have it. */
const OWN = [
  ...["1", "own_calls", "own_tokens", "coalesce(own_usd::numeric, 0)", "(own_usd IS NOT NULL)::int", "own_unsure::int"],
  ...SUMS.slice(6),
];

/** `SumRow`: what its sessions come to, where sums are asked for. */
export type DayGroup = CountedGroup & SumRow;

export async function dayGroups({ sql, ask }: Fleet, { query, since }: ListFilters): Promise<readonly DayGroup[]> {
  const day = Math.floor(since! / DAY);
  const asked = query.artifacts === undefined ? sql`true` : sql`has_artifacts`;
  const sums = query.sums === undefined ? ["n"] : SUMS;
  const columns = sql.unsafe(`format, model, state, ${sums.join(", ")}`);
  const own = sql.unsafe(OWN.slice(0, sums.length).join(", "));
  return ask(
    () => sql<DayGroup[]>`SELECT format, model, state, false AS running, ${sql.unsafe(summed(sums, "true"))} FROM (
        SELECT ${columns} FROM session_day_counts WHERE day > ${day} AND ${asked}
        UNION ALL SELECT ${columns} FROM session_count_changes WHERE day > ${day} AND ${asked}
        UNION ALL SELECT format, model, state, ${own} FROM session_list
          WHERE started_at >= ${since!} AND started_at < ${(day + 1) * DAY} AND ${query.artifacts === undefined ? sql`true` : sql`artifacts >= 1`}) k
      GROUP BY 1, 2, 3 HAVING sum(n) > 0`,
  );
}
