// What a pass over a file tells of it: how much was added to its sessions.
import { command, scalar, select } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Outcome } from "./file-options.ts";
import type { SessionRow } from "./session-row.ts";
import { sessionIds, type Problem, type SourceRow } from "./source-row.ts";

/** A session and its figures when the pass began. */
export type Growing = {
  readonly session: SessionRow;
  readonly before: Pick<SessionRow, "nextSeq" | "calls" | "artifacts" | "records">;
};

/** Records of all sessions of a source. */
export const recordsIn = ({ sqlite }: Archive, sourcePk: number): number =>
  scalar(sqlite, "integer", "SELECT coalesce(sum(records), 0) FROM sessions WHERE source_pk = ?").get(sourcePk)!;

/** After others wrote: a person may have removed the session. Another source may have its row by now, which was not read. */
export function requireRead({ sqlite }: Archive, { pk, path, seen }: SourceRow): void {
  if (seen === null) return;
  const isThere = command(sqlite, "SELECT 1 FROM sources WHERE pk = ? AND head IS NOT NULL").get(pk) !== undefined;
  if (!isThere) fail("not_found", `${path} was removed from Plimsoll while it was read. Import it by its name.`);
}

export function outcomeOf(
  archive: Archive,
  source: SourceRow,
  native: string,
  grown: Iterable<Growing>,
  errors: Problem[],
): Outcome {
  const { sqlite } = archive;
  const row = select(sqlite, "sources", ["status", "reason"], "WHERE pk = ?").get(source.pk)!;
  const sessions = sessionIds(archive, source.pk);
  const outcome = { sessions, events: 0, modelCalls: 0, artifacts: 0, records: 0, errors };
  const isThere = command(sqlite, "SELECT 1 FROM sessions WHERE pk = ?");
  for (const { session, before } of grown) {
    // One of progress lines whose agent has a log of its own was taken out.
    if (isThere.get(session.pk) === undefined) continue;
    outcome.events += session.nextSeq - before.nextSeq;
    outcome.modelCalls += session.calls - before.calls;
    outcome.artifacts += session.artifacts - before.artifacts;
    outcome.records += session.records - before.records;
  }
  if (row.status !== "older copy") return outcome;
  return { ...outcome, sessions: [], events: 0, modelCalls: 0, artifacts: 0, reason: row.reason ?? native };
}
