// Marks of the sessions of a fleet, as lists show them.
import { shownMarks } from "#lib/archive/settings/marks.ts";
import type { LabelsAnswer } from "#lib/wire/marks-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";

type MarkRow = { readonly session: string; readonly kind: string; readonly value: string };

/** Marks on these sessions themselves. They are told when they are set: the row of a session is written when it is read. */
export async function marksOfSessions(
  fleet: Fleet,
  visible: Projects,
  sessions: readonly string[],
): Promise<ReadonlyMap<string, ReturnType<typeof shownMarks>>> {
  if (sessions.length === 0) return new Map();
  const rows = await fleet.ask(
    () => fleet.sql<MarkRow[]>`SELECT session, kind, value FROM session_marks
      WHERE session = ANY(${[...sessions]}) AND seq = 0 AND ${inProjects(fleet, visible)} ORDER BY value`,
  );
  const of = Map.groupBy(rows, ({ session }) => session);
  return new Map(sessions.map((session) => [session, shownMarks(of.get(session) ?? [])]));
}

/** All labels in these projects, with how many sessions have each, on themselves or on an event. */
export async function fleetLabels(fleet: Fleet, visible: Projects): Promise<LabelsAnswer> {
  const rows = await fleet.ask(
    () => fleet.sql<{ name: string; count: number }[]>`SELECT value AS name, count(DISTINCT session) AS count
      FROM session_marks WHERE kind = 'label' AND ${inProjects(fleet, visible)} GROUP BY value ORDER BY value`,
  );
  return { labels: rows.map((row) => ({ ...row })) };
}
