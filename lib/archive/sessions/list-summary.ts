// The two parts of a session's row that need all of its calls and outputs: the sparkline and what loaded it most. They are
// kept beside the session with the version that they were made from: a list of 10,000 sessions only reads them.
import { columns, command, query, scalar } from "#db/statement.ts";
import { changeSessions } from "#db/session-sums.ts";
import { heavyOutput, type SessionRow } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { heaviestOf } from "../load/heaviest.ts";

const SPARK_POINTS = 64;

export type ListSummary = Pick<SessionRow, "sparkline" | "top">;

/** Summaries that this process worked out and may not keep in the database. */
const HELD = 2000;
const held = perArchive(() => new Map<number, ListSummary & { version: number }>());

/**
 * The stored summary where it is of this version, else a new one. Only the import worker writes it down: the server's own
 * thread must never wait for a write.
 */
export function listSummaryOf(archive: Archive, pk: number): ListSummary {
  const { sqlite } = archive;
  const row = query(
    sqlite,
    { ...columns("sessions", "version", "card"), line: "sessions.load_line" },
    "FROM sessions WHERE pk = ?",
  ).get(pk)!;
  const summaries = held(archive);
  // What the pass that counts has written comes first: texts that are counted with another session's change no version.
  const stored = row.card === null ? undefined : (JSON.parse(row.card) as ListSummary & { version: number });
  const kept = [stored, summaries.get(pk)].find((one) => one?.version === row.version && isOfNow(one));
  if (kept !== undefined) return { sparkline: kept.sparkline, top: kept.top };
  const summary = freshListSummaryOf(archive, pk, row.line);
  const isWorker = archive.mode === "write" && archive.lock === null;
  if (isWorker) saveListSummary(archive, pk, { version: row.version, ...summary });
  else summaries.set(pk, { version: row.version, ...summary });
  if (summaries.size > HELD) summaries.delete(summaries.keys().next().value!);
  return summary;
}

/** The summary as the session and the rules are now, whatever is stored. */
export const freshListSummaryOf = (
  archive: Archive,
  pk: number,
  line = scalar(archive.sqlite, "sessions.load_line", "FROM sessions WHERE pk = ?").get(pk) ?? null,
): ListSummary => ({ sparkline: sparklineOf(archive, pk, line), top: heaviestOf(archive, pk)[0] ?? null });

/** A summary that an earlier release wrote may lack what its heaviest output says now: it is worked out anew. */
const isOfNow = ({ top }: ListSummary): boolean => heavyOutput.nullable().safeParse(top).success;

/** Stores a summary in the database. Only the thread that writes may ask. */
export function saveListSummary(
  archive: Archive,
  pk: number,
  summary: ListSummary & { readonly version: number },
): void {
  const { sqlite } = archive;
  const card = JSON.stringify(summary);
  // Most are as they are kept: nothing is written for them.
  changeSessions(sqlite, () =>
    command(sqlite, "UPDATE sessions SET card = ? WHERE pk = ? AND card IS NOT ?").run(card, pk, card),
  );
}

/** The largest prompt of each of at most 64 equal spans of calls, as a share of the line: peaks are never averaged away. */
function sparklineOf(archive: Archive, pk: number, line: number | null): number[] | null {
  const prompts = scalar(
    archive.sqlite,
    "integer",
    "SELECT input_uncached + cache_read + cache_write FROM model_calls WHERE session_pk = ? AND has_usage = 1 ORDER BY call",
  ).all(pk);
  // Calls that report their output alone draw no load, rather than one of zero.
  if (prompts.every((prompt) => prompt === 0)) return null;
  const full = line ?? Math.max(...prompts.slice(0, 100_000), 1);
  const points = Math.min(SPARK_POINTS, prompts.length);
  return Array.from({ length: points }, (_, i) => {
    const span = prompts.slice(
      Math.floor((i * prompts.length) / points),
      Math.floor(((i + 1) * prompts.length) / points),
    );
    return Math.round((span.reduce((most, prompt) => Math.max(most, prompt), 0) / full) * 1000) / 1000;
  });
}
