// Compactions of ours that a folder has and the archive does not: the process ended between the two, or another archive made them. What undoes them is
// kept beside the folder, under their ids; with a row here they can be asked for by these.
import { command } from "#db/statement.ts";
import { listJournals } from "#lib/agent-dirs/autobyteus/run-journal.ts";
import { defaultState, stateFolder } from "#lib/agent-dirs/autobyteus/lock.ts";
import type { Archive } from "../base/archive-type.ts";

/** Ids of the compactions of ours that a folder has, in order. */
export const runsOf = (path: string): string[] =>
  listJournals(stateFolder(defaultState(path), path))
    .filter(({ state, runId }) => state === "applied" && /^cmp_[0-9a-f]{16}$/.test(runId))
    .map(({ runId }) => runId);

/** The ones that the archive knows nothing of. */
export function lostRuns(archive: Archive, runs: readonly string[]): string[] {
  const known = command(archive.sqlite, "SELECT 1 FROM compactions WHERE id = ?");
  return runs.filter((id) => known.get(id) === undefined);
}

export type LostRun = {
  readonly id: string;
  readonly eventSeq: number;
  readonly seqs: readonly number[];
  readonly summary: string;
};

export function adoptRun(archive: Archive, pk: number, { id, eventSeq, seqs, summary }: LostRun, now: number): void {
  command(
    archive.sqlite,
    `INSERT INTO compactions (id, session_pk, kind, status, trigger, at_seq, from_seq, to_seq, seqs, summarizer, summary, reason,
       event_seq, started_at, ended_at) VALUES (?, ?, 'applied', 'complete', 'manual', ?, ?, ?, ?, '', ?, ?, ?, ?, ?)`,
  ).run(
    id,
    pk,
    eventSeq - 1,
    seqs.at(0) ?? null,
    seqs.at(-1) ?? null,
    JSON.stringify(seqs),
    summary,
    "Found in the folder; this archive had no record of it.",
    eventSeq,
    now,
    now,
  );
}
