// What a list of sessions is asked for, as conditions on the rows that it is answered from.
import { RUNNING_MS } from "#lib/archive/sessions/session-view.ts";
import type { SessionsQuery } from "#lib/wire/sessions-schema.ts";
import type { Tried } from "../answers/found-texts.ts";
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
  /** What they are found by in their texts. */
  readonly said: Said | null;
  /** What a choice asks of a row; null where nothing is chosen. */
  readonly chosen: Readonly<Record<Choice, Fragment | null>>;
};

/** `asked`: what words and fields find; null where none are asked for. */
export function listFilters(
  fleet: Fleet,
  query: SessionsQuery,
  visible: Projects,
  { asked, now }: { readonly asked: Asked | null; readonly now: number },
): ListFilters {
  const { sql } = fleet;
  const runningSince = now - RUNNING_MS;
  const state = query.state ?? (query.badge === "over" ? "refused" : query.badge);
  const isNarrow = asked === null && query.parent === undefined;
  const { format, project, model } = query;
  const since = query.since === undefined ? null : now - SINCE[query.since];
  // The digest alone, so that an index answers; no folder and an empty one have the same.
  const ofFolder = sql`s.folder = md5(${project ?? ""})::uuid`;
  const isDigestEnough = isNarrow && project !== "";
  return {
    ...{ query, visible, runningSince, state, isNarrow, isOfFound: asked !== null, said: asked?.said ?? null },
    since,
    keptBy: !isNarrow ? null : since === null ? "counts" : visible === "all" && project === undefined ? "days" : null,
    isAll: isNarrow && visible === "all" && ASKED.every((one) => query[one] === undefined) && state === undefined,
    common: sql`${inProjects(fleet, visible, "s.project")} AND
      ${isNarrow ? sql`true` : query.parent !== undefined ? sql`s.parent = ${query.parent}` : asked!.said === null ? sql`s.parent IS NULL` : sql`true`}
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

/** `said`: what is looked for in texts. Null where it asks of sessions alone: sub-agents are not listed then. */
export type Asked = { readonly condition: Fragment; readonly said: Said | null };

export type Said = {
  /** What patterns fit, where some are asked for: nothing else is looked for then. */
  readonly tried: Tried | null;
  /** Asked of a text `t`. */
  readonly condition: Fragment;
  /** The part of it that the index of words has; null where no word is asked for. */
  readonly ofWords: Fragment | null;
  /** Which sessions the texts are of; null is any. */
  readonly among: Fragment | null;
};
