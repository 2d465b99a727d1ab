// The burn rate of running sessions, from the calls that their files have.
import { columns, query } from "#db/statement.ts";
import { BURN_MS, burnRate, type TimedCall } from "#lib/kernel/load/burn-rate.ts";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { usageOfRow } from "../base/usage-of-row.ts";

/** Calls of the last minutes of many sessions, in one query. Inherited calls were another session's. */
export function recentCalls(archive: Archive, pks: readonly number[]): ReadonlyMap<number, readonly TimedCall[]> {
  if (pks.length === 0) return new Map();
  const rows = query(
    archive.sqlite,
    {
      ...columns("model_calls", "session_pk", "ts", "input_uncached", "cache_read", "cache_write", "cache_write_1h"),
      ...columns("model_calls", "output", "reasoning", "web_searches", "output_lower_bound"),
    },
    "FROM model_calls WHERE session_pk IN (SELECT value FROM json_each(?)) AND has_usage = 1 AND inherited = 0 AND ts > ?",
  ).all(JSON.stringify(pks), archive.host.now() - BURN_MS);
  const bySession = Map.groupBy(rows, (row) => row.session_pk);
  return new Map([...bySession].map(([pk, calls]) => [pk, calls.flatMap(timedCall)]));
}

const timedCall = (row: Parameters<typeof usageOfRow>[0] & { ts: number | null; output_lower_bound: number }) =>
  row.ts === null ? [] : [{ ts: row.ts, usage: usageOfRow(row), isLowerBound: row.output_lower_bound === 1 }];

/** Null where no call of the last minutes has its usage. `startedAt`: ms since 1970. */
export function sessionBurn(
  archive: Archive,
  calls: readonly TimedCall[],
  { startedAt, isCounted }: { readonly startedAt: number | null; readonly isCounted: boolean },
): SessionRow["burn"] {
  const rate = burnRate(calls, archive.host.now(), startedAt);
  return rate === null ? null : { ...rate, origin: isCounted ? "counted" : "reported" };
}
