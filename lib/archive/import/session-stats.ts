// Figures that need the whole session: how near its peak came to the load line, and the cost.
import { usageOfRow } from "../base/usage-of-row.ts";
import { columns, command, query, scalar, type Columns, type RowOf } from "#db/statement.ts";
import { CALL_COLUMNS } from "#db/migration-12-row-checksums.ts";
import { rowHash } from "#db/row-sums.ts";
import type { Usage } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { PriceTable } from "#lib/kernel/host.ts";
import { usageUsd } from "#lib/kernel/load/rates.ts";
import { stateOf, type SessionState } from "#lib/kernel/load/compaction-state.ts";
import type { Archive } from "../base/archive-type.ts";
import { pricesFor } from "../base/model-overrides.ts";
import { LINE_ROW, loadLineOf, type LineRow } from "./load-line.ts";
import { readCounters, type SessionCounters } from "./session-counters.ts";

/** Writes load line, peak share and cost of a session. */
export function settleFigures(archive: Archive, pk: number): void {
  const { sqlite } = archive;
  const row = query(
    sqlite,
    {
      ...LINE_ROW,
      ...columns("sessions", "automatic", "tally"),
    },
    `FROM sessions WHERE pk = ?`,
  ).get(pk);
  if (row === undefined) return;
  const counters = readCounters(row.tally);
  const line = loadLineOf(archive, row, counters);
  const share = line.tokens === null || row.peakTokens === null ? null : row.peakTokens / line.tokens;
  const usd = settlePrices(archive, pk, pricesFor(archive, row.cwd));
  command(sqlite, "UPDATE sessions SET load_line = ?, peak_share = ?, usd = ?, state = ? WHERE pk = ?").run(
    line.tokens === null ? null : Math.round(line.tokens),
    share,
    usd,
    settledState(row, counters, share),
    pk,
  );
}

/** Null where nothing says how full its context was. */
function settledState(
  { peakTokens, automatic }: LineRow & { automatic: number },
  { overflow }: SessionCounters,
  share: number | null,
): SessionState | null {
  const state = stateOf({ isRefused: overflow, automatic, share });
  return state === "fine" && peakTokens === null ? null : state;
}

function priceOf(prices: PriceTable, model: string, usage: Usage, ts: number | null): number | null {
  const rates = prices.rates(model, usage, ts);
  return rates === null ? null : usageUsd(usage, rates);
}

/** In the order of the checksum: CALL_COLUMNS. */
const CALL_ROW = {
  ...columns("model_calls", "session_pk", "call", "key", "first_seq", "model", "ts", "input_uncached", "cache_read"),
  ...columns("model_calls", "cache_write", "output", "reasoning", "output_lower_bound", "has_usage", "window", "usd"),
  ...columns("model_calls", "priced", "inherited", "cache_write_1h", "web_searches"),
} as const satisfies Columns;
type CallRow = RowOf<typeof CALL_ROW>;

/**
 * Prices the calls of a long session behind one of them piece by piece. Some are left: by them the session is known as one whose sum is
 * to be taken again. Those before stay open: that they grew says that their copies are to be compared anew.
 */
export async function priceAhead(
  archive: Archive,
  pk: number,
  settled: number,
  between: () => Promise<void>,
): Promise<void> {
  const { sqlite } = archive;
  const cwd = scalar(sqlite, "sessions.cwd", "FROM sessions WHERE pk = ?");
  for (let after = settled; ;) {
    const rows = openCalls(archive, pk, after, LIMITS.settledCalls + 1);
    if (rows.length <= LIMITS.settledCalls) return;
    rows.pop();
    priceCalls(archive, pk, rows, pricesFor(archive, cwd.get(pk) ?? null));
    after = rows.at(-1)!.call;
    await between();
  }
}

/** Calls that changed since they were priced, after one of them. */
const openCalls = ({ sqlite }: Archive, pk: number, after: number, limit: number): CallRow[] =>
  query(
    sqlite,
    CALL_ROW,
    `SELECT ${CALL_COLUMNS} FROM model_calls WHERE session_pk = ? AND call > ? AND checksum IS NULL ORDER BY call LIMIT ?`,
  ).all(pk, after, limit);

/** Dollars of the session's own calls, each priced alone (tiers depend on one prompt's size); null when none has a price. */
function settlePrices(archive: Archive, pk: number, prices: PriceTable): number | null {
  priceCalls(archive, pk, openCalls(archive, pk, 0, -1), prices);
  return (
    scalar(
      archive.sqlite,
      "integer?",
      "SELECT sum(usd) FROM model_calls WHERE session_pk = ? AND inherited = 0 AND has_usage = 1",
    ).get(pk) ?? null
  );
}

function priceCalls({ sqlite }: Archive, pk: number, rows: readonly CallRow[], prices: PriceTable): void {
  const set = command(
    sqlite,
    "UPDATE model_calls SET usd = ?, priced = ?, checksum = ? WHERE session_pk = ? AND call = ?",
  );
  for (const row of rows) {
    const isDue = row.priced === 0 && row.has_usage === 1;
    const usd = !isDue ? row.usd : row.model === null ? null : priceOf(prices, row.model, usageOfRow(row), row.ts);
    const priced = isDue ? 1 : row.priced;
    // Its columns stand in the order of the checksum.
    set.run(usd, priced, rowHash(Object.values({ ...row, usd, priced })), pk, row.call);
  }
}
