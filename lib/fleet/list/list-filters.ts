// What a list of sessions is asked for, as conditions on the rows that it is answered from.
import { RUNNING_MS } from "#lib/archive/sessions/session-view.ts";
import { parseSearch } from "#lib/kernel/search/search-query.ts";
import type { SessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { FleetSql } from "#db/fleet/fleet-sql.ts";
import { conditionsOf, isOfSession } from "../answers/search-conditions.ts";
import { valuesAsked } from "../answers/session-values.ts";
import { wordQuery } from "../lexemes.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";

const DAY_MS = 86_400_000;
const SINCE = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;

/** Filters that a figure beside a choice leaves out: it says what that choice would list. */
export type Choice = "format" | "project" | "model" | "state";
export const CHOICES = ["format", "project", "model", "state"] as const;

/** Beside the state. */
const ASKED = ["format", "project", "model", "since", "artifacts"] as const;

export type ListFilters = {
  readonly query: SessionsQuery;
  readonly visible: Projects;
  /** A session whose last event is younger is running. */
  readonly runningSince: number;
  readonly state: SessionsQuery["state"];
  /** Top-level sessions alone, and no words: the narrow rows have all that is asked of. */
  readonly isNarrow: boolean;
  /** When the oldest began that is listed. */
  readonly since: number | null;
  /** Which kept counts know it, but for who is running: those of a time are kept for all projects together, and not by folder. */
  readonly keptBy: "counts" | "days" | null;
  /** Every top-level session is listed. */
  readonly isAll: boolean;
  /** All but the choices. */
  readonly common: Fragment;
  /** The sessions that words and fields find are looked for once, and the list is one of these: `found` has them. */
  readonly isOfFound: boolean;
  /** What a choice asks of a row; null where nothing is chosen. */
  readonly chosen: Readonly<Record<Choice, Fragment | null>>;
};

export async function listFilters(
  fleet: Fleet,
  query: SessionsQuery,
  visible: Projects,
  now: number,
): Promise<ListFilters> {
  const { sql } = fleet;
  const runningSince = now - RUNNING_MS;
  const asked = query.q.trim() === "" ? null : await searchOf(fleet, query.q, visible, now);
  const state = query.state ?? (query.badge === "over" ? "refused" : query.badge);
  const isNarrow = asked === null && query.parent === undefined;
  const { format, project, model } = query;
  const since = query.since === undefined ? null : now - SINCE[query.since];
  // The digest alone, so that an index answers; no folder and an empty one have the same.
  const ofFolder = sql`s.folder = md5(${project ?? ""})::uuid`;
  const isDigestEnough = isNarrow && project !== "";
  return {
    ...{ query, visible, runningSince, state, isNarrow, isOfFound: asked !== null },
    since,
    keptBy: !isNarrow ? null : since === null ? "counts" : visible === "all" && project === undefined ? "days" : null,
    isAll: isNarrow && visible === "all" && ASKED.every((one) => query[one] === undefined) && state === undefined,
    common: sql`${inProjects(fleet, visible, "s.project")} AND
      ${isNarrow ? sql`true` : query.parent !== undefined ? sql`s.parent = ${query.parent}` : asked!.isOfSessions ? sql`s.parent IS NULL` : sql`true`}
      ${since === null ? sql`` : sql`AND s.started_at >= ${since}`}
      ${query.artifacts === undefined ? sql`` : sql`AND s.artifacts >= 1`}
      ${asked === null ? sql`` : sql`AND ${asked.condition}`}`,
    chosen: {
      format: format === undefined ? null : sql`s.format = ${format}`,
      project:
        project === undefined
          ? null
          : isDigestEnough
            ? ofFolder
            : sql`(${isNarrow ? sql`${ofFolder} AND` : sql``} s.cwd = ${project})`,
      model: model === undefined ? null : sql`s.model = ${model}`,
      state:
        state === undefined ? null : state === "running" ? sql`s.ended_at >= ${runningSince}` : sql`s.state = ${state}`,
    },
  };
}

/** All of it but a choice: which rows are listed. */
export const listed = (
  { sql }: Pick<Fleet, "sql">,
  { common, chosen }: ListFilters,
  left: Choice | null = null,
): Fragment =>
  CHOICES.reduce<Fragment>(
    (all, one) => (chosen[one] === null || one === left ? all : sql`${all} AND ${chosen[one]}`),
    common,
  );

/** The rows that a list looks at. */
export const listTable = ({ sql }: Pick<Fleet, "sql">, { isNarrow, isOfFound }: ListFilters): Fragment =>
  isNarrow ? sql`session_list s` : isOfFound ? sql`found s` : sql`sessions s`;

/** What a list asks of a session that was found. */
const FOUND = [
  ...[
    "project",
    "id",
    "parent",
    "format",
    "model",
    "state",
    "cwd",
    "title",
    "started_at",
    "ended_at",
    "turns",
    "calls",
  ],
  ...["compactions", "artifacts", "peak_share", "usd", "avoidable_usd"],
  ...["own_calls", "own_tokens", "own_usd", "own_unsure"],
].join(", s.");

/**
 * The answer of a list whose sessions are looked for first: by each of its questions again a word of every tenth of a million texts
 * took 2.4 s.
 */
export async function amongFound<T>(
  fleet: Fleet,
  filters: ListFilters,
  answer: (fleet: Fleet, filters: ListFilters) => Promise<T>,
): Promise<T> {
  let found: T;
  await fleet.ask(() =>
    fleet.sql.begin(async (tx) => {
      await tx`CREATE TEMP TABLE found ON COMMIT DROP AS SELECT s.${tx.unsafe(FOUND)} FROM sessions s WHERE ${filters.common}`;
      // It asks as the other does, one question after the other on this connection.
      const sql = tx as unknown as FleetSql;
      found = await answer({ ...fleet, sql, ask: (run) => run() }, { ...filters, common: sql`true` });
    }),
  );
  return found!;
}

/** `isOfSessions`: it asks of sessions alone and looks into no text. Sub-agents are not listed then. */
type Asked = { readonly condition: Fragment; readonly isOfSessions: boolean };

/** Sessions that a query finds: by what is said in them, or by their titles. */
async function searchOf(fleet: Fleet, q: string, visible: Projects, now: number): Promise<Asked> {
  const { sql } = fleet;
  const { terms, filters } = parseSearch(q, now);
  const words = wordQuery(terms, { isTyped: true });
  const known = await valuesAsked(fleet, filters, visible);
  const own = conditionsOf(fleet, filters, { of: "session", marks: "session" }, known);
  // The narrow rows of all sessions have what fields ask of, with an index of each.
  const among =
    own === null
      ? sql`true`
      : sql`(s.project, s.id) IN (SELECT s.project, s.id FROM searched_sessions s WHERE ${inProjects(fleet, visible, "s.project")} AND ${own})`;
  const ofText = conditionsOf(fleet, filters, { of: "text", marks: "session" });
  if (words === null && ofText === null)
    return { condition: filters.length > 0 ? among : sql`false`, isOfSessions: true };
  const isSaid = words === null ? sql`true` : sql`words @@ to_tsquery('plimsoll', ${words.tsquery})`;
  const isTitle =
    words !== null && filters.every(isOfSession) && terms.every(({ kind, not }) => kind === "word" && !not);
  const condition = sql`${among} AND (s.project, s.id) IN (
    SELECT t.project, t.session FROM session_texts t WHERE ${isSaid} ${ofText === null ? sql`` : sql`AND ${ofText}`}
    ${isTitle ? sql`UNION SELECT n.project, n.id FROM sessions n WHERE n.title_words @@ to_tsquery('plimsoll', ${words.tsquery})` : sql``})`;
  return { condition, isOfSessions: false };
}
