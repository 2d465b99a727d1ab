// Taking out what was imported from a source: its file was replaced, or is an older copy of another. What others had
// inherited from it becomes theirs.
import { command, scalar } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import { keepVersion } from "../base/first-version.ts";
import { dropEvents } from "../base/drop-events.ts";
import { rowRange } from "../base/row-keys.ts";
import { keepMemory } from "./keep-memory.ts";
import { settleFigures } from "./session-stats.ts";
import { disown, heirsOf } from "./lineage.ts";
import type { SourceRow } from "./source-row.ts";

/** Takes out everything that was imported from a source; its blobs stay for the sweep. */
export function clearSource(archive: Archive, source: SourceRow): void {
  const { sqlite } = archive;
  clearSessions(archive, source.pk);
  command(sqlite, "DELETE FROM raw_blocks WHERE source_pk = ?").run(source.pk);
  command(sqlite, "DELETE FROM import_errors WHERE source_pk = ?").run(source.pk);
  // Its older copies may hold what is in no other file now: without their mark they are read again when next looked at.
  command(sqlite, "UPDATE sources SET tail = '' WHERE older_of = ?").run(source.pk);
  Object.assign(source, {
    seen: null,
    line: 1,
    state: null,
    records: 0,
    problems: 0,
    status: "ok",
    cutTail: null,
    stopped: null,
  });
}

/** Takes out the sessions of a source, and keeps its raw bytes. `heirs`: of its events, where they are gone already. */
export function clearSessions(archive: Archive, sourcePk: number, heirs?: readonly number[]): void {
  takeOut(archive, sessionsOf(archive, sourcePk), heirs);
}

export const sessionsOf = ({ sqlite }: Archive, sourcePk: number): number[] =>
  scalar(sqlite, "sessions.pk", "FROM sessions WHERE source_pk = ?").all(sourcePk);

/** Takes out some sessions of a source: others hold what they held. */
export function takeOut(
  archive: Archive,
  pks: readonly number[],
  heirs: readonly number[] = heirsOf(archive, pks),
): void {
  const { sqlite } = archive;
  for (const pk of pks) {
    dropEvents(archive, rowRange(pk));
    command(sqlite, "UPDATE sessions SET parent_pk = NULL, parent_tool_call_seq = NULL WHERE parent_pk = ?").run(pk);
    keepMemory(archive, pk);
    keepVersion(archive, pk);
    command(sqlite, "DELETE FROM sessions WHERE pk = ?").run(pk);
  }
  for (const pk of heirs) {
    disown(archive, pk);
    settleFigures(archive, pk);
  }
}
