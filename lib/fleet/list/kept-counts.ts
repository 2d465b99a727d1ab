// Figures of the whole list from counts that are kept: for each format, folder and model, alone and together. Triggers note what comes
// and goes; a node adds it up between commits. An answer reads both, so it is exact at any moment.
import { hash } from "node:crypto";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { inProjects } from "../visible-projects.ts";
import type { Choice, ListFilters } from "./list-filters.ts";

/** Columns that counts are told apart by, and the bit of each in `mask`. */
const KEPT = {
  format: { column: "format", bit: 1 },
  project: { column: "cwd", bit: 2 },
  model: { column: "model", bit: 4 },
} as const;
/** The same without states and artifacts: a fraction of the rows. */
const WITHOUT_STATES = 16;
/** Masks of all sessions, sub-agents too: `calls` counts those with calls. */
export const ANY = { agent: 8, cwd: 9, model: 10, all: 11 } as const;

const LOCK = hash("sha256", "session counts", "buffer").readBigInt64BE() >> 1n;

/** Adds up what came and went, once it is so much; false where it is not, or another node is at it. */
export async function keepCounts({ sql, ask }: Pick<Fleet, "sql" | "ask">, least = 1): Promise<boolean> {
  return ask(() =>
    sql.begin(async (tx) => {
      const due = await tx`SELECT 1 FROM session_count_changes LIMIT ${least}`;
      if (due.length < least) return false;
      const [lock] = await tx<{ got: boolean }[]>`SELECT pg_try_advisory_xact_lock(${String(LOCK)}::bigint) AS got`;
      if (lock?.got !== true) return false;
      await tx`SELECT keep_session_counts()`;
      return true;
    }),
  );
}

/** Rows of the kept counts and of the changes since, which every filter but `left` leaves; told apart by `by` too. */
export function keptRows(
  fleet: Pick<Fleet, "sql">,
  filters: ListFilters,
  left: Choice | null,
  by: keyof typeof KEPT | null,
): Fragment {
  const { sql } = fleet;
  const { query, visible, state } = filters;
  const uses = (choice: keyof typeof KEPT): boolean => query[choice] !== undefined && left !== choice;
  const mask = (["format", "project", "model"] as const).reduce(
    (sum, choice) => sum + (uses(choice) || by === choice ? KEPT[choice].bit : 0),
    state === undefined && left !== "state" && query.artifacts === undefined && by !== null ? WITHOUT_STATES : 0,
  );
  const where = sql`${inProjects(fleet, visible)}
    ${uses("format") ? sql`AND format = ${query.format!}` : sql``}
    ${uses("project") ? sql`AND folder = md5(${query.project!})::uuid AND cwd = ${query.project!}` : sql``}
    ${uses("model") ? sql`AND model = ${query.model!}` : sql``}
    ${state !== undefined && left !== "state" ? sql`AND state = ${state}` : sql``}
    ${query.artifacts === undefined ? sql`` : sql`AND has_artifacts`}`;
  return sql`(SELECT * FROM session_counts WHERE mask = ${mask} AND ${where}
    UNION ALL SELECT project, ${mask}, format, cwd, folder, model, state, has_artifacts, ${sql.unsafe(SUMS.join(", "))}
    FROM session_count_changes WHERE kind = 0 AND ${where}) k`;
}

export const SUMS = [
  ...["n", "calls", "tokens", "usd", "priced", "unsure"],
  ...["subs", "sub_calls", "sub_tokens", "sub_usd", "sub_priced", "sub_unsure"],
];

export const columnOf = (choice: keyof typeof KEPT): string => KEPT[choice].column;

/** Sessions by a value, of all that one may see: those with calls. */
export const keptValues = (
  fleet: Pick<Fleet, "sql">,
  filters: Pick<ListFilters, "visible">,
  by: keyof typeof ANY,
): Fragment => {
  const { sql } = fleet;
  const column = sql(by === "agent" || by === "all" ? "format" : by);
  const visible = inProjects(fleet, filters.visible);
  return sql`(SELECT ${column} AS value, n, calls FROM session_counts WHERE mask = ${ANY[by]} AND ${visible}
    UNION ALL SELECT ${column}, n, calls FROM session_count_changes WHERE kind = 1 AND ${visible}) k`;
};
