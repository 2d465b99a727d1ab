// What a parent's progress lines tell of a sub-agent stands for the agent's own log, while that is not in the archive: when it
// is, nothing of it is counted twice, in whatever order the two came.
import { columns, command, query, scalar } from "#db/statement.ts";
import { agentOfProgress, progressLane } from "#lib/kernel/draft.ts";
import type { Archive } from "../base/archive-type.ts";
import { plainName } from "./artifact-writer.ts";
import { takeOut } from "./clear-source.ts";

const ROW_COLUMNS = columns("sessions", "pk", "native_id", "lane");

/** SQL of what is no session of progress lines. */
export const IS_OWN_LOG = `lane NOT LIKE '%${progressLane("")}'`;

/** Takes out those of a source that have a log of their own, and those that a log of this source is. */
export function settleProgress(archive: Archive, sourcePk: number): void {
  const { sqlite } = archive;
  const rows = query(sqlite, ROW_COLUMNS, "FROM sessions WHERE source_pk = ?").all(sourcePk);
  const hasLog = command(sqlite, `SELECT 1 FROM sessions WHERE native_id = ? AND ${IS_OWN_LOG}`);
  const replaced = rows.flatMap(({ pk, native_id, lane }) => {
    const agent = agentOfProgress(lane);
    const name = plainName(native_id);
    const parent = parentOf(name);
    if (parent === null) return [];
    if (agent !== null) return hasLog.get(`${parent}/${agent}`) === undefined ? [] : [pk];
    return progressOf(archive, parent, name.slice(parent.length + 1));
  });
  if (replaced.length > 0) takeOut(archive, replaced);
}

/** The log of a sub-agent was given up: its parent is read again, for its progress lines count now. */
export function askForProgress(archive: Archive, nativeId: string): void {
  const parent = parentOf(plainName(nativeId));
  if (parent === null) return;
  command(
    archive.sqlite,
    `UPDATE sources SET format_version = 0 WHERE pk IN
       (SELECT source_pk FROM sessions WHERE native_id = @parent OR (native_id >= @parent || '~' AND native_id < @parent || '~~'))`,
  ).run({ parent });
}

/** Sessions of progress lines of an agent, in its parent's file and in copies of that file. */
const progressOf = (archive: Archive, parent: string, agent: string): number[] =>
  scalar(
    archive.sqlite,
    "sessions.pk",
    "FROM sessions WHERE lane = @lane AND (native_id = @parent || '/' || @lane OR (native_id >= @parent || '~' AND native_id < @parent || '~~'))",
  ).all({ parent, lane: progressLane(agent) });

const parentOf = (name: string): string | null => {
  const at = name.lastIndexOf("/");
  return at < 0 ? null : name.slice(0, at);
};
