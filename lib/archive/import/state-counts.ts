// The counts that a session's state rests on, taken event by event; and taken again from the log, where older rules took them.
import { columns, command, query, select } from "#db/statement.ts";
import { changeSessions } from "#db/session-sums.ts";
import { isAutomatic } from "#lib/kernel/load/compaction-state.ts";
import { RULES_VERSION } from "#lib/kernel/load/rules-version.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import type { Archive } from "../base/archive-type.ts";
import { OVERFLOW } from "../base/overflow.ts";
import { rowRange } from "../base/row-keys.ts";
import { UNDONE } from "../base/undone-compactions.ts";
import { markObservedStale } from "./observed-stale.ts";
import { countersOf, type SessionCounters } from "./session-counters.ts";
import { settleFigures } from "./session-stats.ts";

/** Formats of sessions that we hold, and of memory folders that are attached. */
const OWN_LOGS = new Set(["plimsoll", "autobyteus"]);

type StateCounts = {
  readonly format: string;
  compactions: number;
  automatic: number;
  readonly counters: Pick<SessionCounters, "autoCompactAt" | "overflow">;
};

/** Counts an event that is appended. */
export function countState(counts: StateCounts, body: EventBody): void {
  const { counters } = counts;
  if (body.type === "compaction" && body.kind === "full") {
    counts.compactions++;
    const byItself = isAutomatic(body.trigger);
    if (byItself) counts.automatic++;
    if (byItself && body.tokensBefore !== null)
      counters.autoCompactAt = Math.min(counters.autoCompactAt ?? body.tokensBefore, body.tokensBefore);
  }
  // Only a log that we write undoes one.
  if (body.type === "meta" && body.subtype === UNDONE && OWN_LOGS.has(counts.format))
    counts.compactions = Math.max(0, counts.compactions - 1);
  counts.automatic = Math.min(counts.automatic, counts.compactions);
  if (body.type === "error" && OVERFLOW.test(body.text)) counters.overflow = true;
}

/** `version`: that of the session, as it was counted. */
export type Recount = Pick<StateCounts, "automatic"> & StateCounts["counters"] & { readonly version: number };

/** The counts of a session by the rules of now; null where they are of these already, or say the same. */
export function recountState(archive: Archive, pk: number): Recount | null {
  const { sqlite } = archive;
  const row = query(
    sqlite,
    columns("sessions", "format", "automatic", "tally", "rules_version", "version"),
    "FROM sessions WHERE pk = ?",
  ).get(pk);
  if (row === undefined || row.rules_version >= RULES_VERSION) return null;
  const { format, automatic, tally, version } = row;
  const before = countersOf({ tally });
  const counts: StateCounts = {
    ...{ format, compactions: 0, automatic: 0 },
    counters: { autoCompactAt: null, overflow: false },
  };
  const events = select(
    sqlite,
    "events",
    ["body"],
    "WHERE id BETWEEN ? AND ? AND (type IN ('compaction', 'error') OR (type = 'meta' AND body ->> 'subtype' = ?)) ORDER BY id",
  );
  for (const { body } of events.iterate(...rowRange(pk), UNDONE)) countState(counts, JSON.parse(body) as EventBody);
  const now: Recount = { version, automatic: counts.automatic, ...counts.counters };
  const isSame =
    now.automatic === automatic && now.autoCompactAt === before.autoCompactAt && now.overflow === before.overflow;
  return isSame ? null : now;
}

/** Writes them, and the figures that follow, unless the session changed since. Only the thread that writes may ask. */
export function saveRecount(archive: Archive, pk: number, recount: Recount): void {
  const { automatic, autoCompactAt, overflow, version } = recount;
  const save = command(
    archive.sqlite,
    `UPDATE sessions SET automatic = ?, tally = json_set(tally, '$.autoCompactAt', ?, '$.overflow', json(?)), version = version + 1
       WHERE pk = ? AND version = ?`,
  );
  changeSessions(archive.sqlite, () => {
    if (save.run(automatic, autoCompactAt, String(overflow), pk, version).changes === 0) return;
    settleFigures(archive, pk);
    markObservedStale(archive);
  });
}
