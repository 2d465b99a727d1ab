// What a pass over a file tells of it: how much was added to its sessions.
import { command, select } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Outcome } from "./file-options.ts";
import type { SessionRow } from "./session-row.ts";
import { sessionIds, type Problem, type SourceRow } from "./source-row.ts";

/** A session and its figures when the pass began. */
export type Growing = {
  readonly session: SessionRow;
  readonly before: Pick<SessionRow, "nextSeq" | "calls" | "artifacts" | "records">;
};

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
