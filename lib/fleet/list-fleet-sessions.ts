// The list of sessions of a fleet, as one machine lists its own: the same filters, sorts, figures beside each choice and rows,
// answered by the database.
import { fail } from "#lib/kernel/errors.ts";
import { markedText } from "#lib/kernel/search/search-query.ts";
import type { SessionsAnswer, SessionsQuery } from "#lib/wire/sessions-schema.ts";
import { listFigures } from "./list/list-figures.ts";
import { amongFound, foundBy } from "./list/asked-sessions.ts";
import { listFilters, type ListFilters } from "./list/list-filters.ts";
import { countHits, hitsOfPage, NO_HIT } from "./list/list-hits.ts";
import { listPage } from "./list/list-page.ts";
import { marksOfSessions } from "./list/session-marks.ts";
import type { Asking } from "./answers/tried-texts.ts";
import type { Fleet } from "./open-fleet.ts";
import type { Projects } from "./visible-projects.ts";

export async function listFleetSessions(
  fleet: Fleet,
  query: SessionsQuery,
  visible: Projects,
  asking: Asking,
): Promise<SessionsAnswer> {
  if (query.file !== undefined)
    fail("unsupported", "A fleet does not know which files their agents delete. Leave this filter out.");
  const asked = await foundBy(fleet, query.q, visible, asking);
  const filters = listFilters(fleet, query, visible, { asked, now: asking.now });
  return filters.isOfFound ? amongFound(fleet, filters, listOf) : listOf(fleet, filters);
}

async function listOf(fleet: Fleet, filters: ListFilters): Promise<SessionsAnswer> {
  const { query, visible, said } = filters;
  const figures = listFigures(fleet, filters);
  const isGrouped = query.group !== undefined;
  const [rows, { groups, ...answer }] = await Promise.all([
    // A grouped page has to know how long the groups before it are.
    isGrouped ? figures.then((found) => listPage(fleet, filters, found.groups)) : listPage(fleet, filters, null),
    figures,
  ]);
  const ids = rows.map(({ row }) => row.id);
  const [marks, hits, count] = await Promise.all([
    marksOfSessions(fleet, visible, ids),
    said === null ? null : hitsOfPage(fleet, query.q, said, rows),
    said === null ? null : countHits(fleet, said),
  ]);
  return {
    // What it is now: its file is on the machine of its sender.
    sessions: rows.map(({ row, ended_at: ended }) => ({
      ...row,
      ...marks.get(row.id),
      ...(hits?.get(row.id) ?? NO_HIT),
      status: ended !== null && ended >= filters.runningSince ? "running" : "idle",
    })),
    ...answer,
    groups: query.sums === undefined ? null : groups,
    ...{ hits: count, isWhole: said?.tried?.scanned.isWhole ?? true },
    marked: markedText(query.q),
  };
}
