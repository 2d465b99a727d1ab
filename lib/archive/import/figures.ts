// Figures that need the whole session: how near its peak came to the load line, and the cost.
import type { Usage } from "#lib/kernel/draft.ts";
import type { PriceTable } from "#lib/kernel/host.ts";
import { usageUsd } from "#lib/kernel/load/rates.ts";
import { stateOf, type SessionState } from "#lib/kernel/load/state.ts";
import type { Archive } from "../archive.ts";
import { pricesFor } from "../model-overrides.ts";
import { LINE_COLUMNS, loadLineOf, type LineRow } from "./load-line.ts";
import { readTally, type Tally } from "./tally.ts";
import { plucked, prepared } from "./prepared.ts";

/** Writes load line, peak share and cost of a session. */
export function settleFigures(archive: Archive, pk: number): void {
  const { sqlite } = archive;
  const row = prepared(sqlite, `SELECT ${LINE_COLUMNS}, automatic, tally FROM sessions WHERE pk = ?`).get(pk) as
    | (LineRow & { automatic: number; tally: string })
    | undefined;
  if (row === undefined) return;
  const tally = readTally(row.tally);
  const line = loadLineOf(archive, row, tally);
  const share = line.tokens === null || row.peakTokens === null ? null : row.peakTokens / line.tokens;
  const usd = settlePrices(archive, pk, pricesFor(archive, row.cwd));
  prepared(sqlite, "UPDATE sessions SET load_line = ?, peak_share = ?, usd = ?, state = ? WHERE pk = ?").run(
    line.tokens === null ? null : Math.round(line.tokens),
    share,
    usd,
    settledState(row, tally, share),
    pk,
  );
}

/** Null where nothing says how full its context was. */
function settledState(
  { peakTokens, automatic }: LineRow & { automatic: number },
  { overflow }: Tally,
  share: number | null,
): SessionState | null {
  const state = stateOf({ isRefused: overflow, automatic, share });
  return state === "fine" && peakTokens === null ? null : state;
}

function priceOf(prices: PriceTable, model: string, usage: Usage, ts: number | null): number | null {
  const rates = prices.rates(model, usage, ts);
  return rates === null ? null : usageUsd(usage, rates);
}

type CallRow = Usage & { call: number; model: string | null; ts: number | null };

/** Dollars of the session's own calls, each priced alone (tiers depend on one prompt's size); null when none has a price. */
function settlePrices({ sqlite }: Archive, pk: number, prices: PriceTable): number | null {
  const rows = prepared(
    sqlite,
    `SELECT call, model, ts, input_uncached AS inputUncached, cache_read AS cacheRead, cache_write AS cacheWrite,
         cache_write_1h AS cacheWrite1h, output, reasoning, web_searches AS webSearches
       FROM model_calls WHERE session_pk = ? AND priced = 0 AND has_usage = 1`,
  ).all(pk) as CallRow[];
  const set = prepared(sqlite, "UPDATE model_calls SET usd = ?, priced = 1 WHERE session_pk = ? AND call = ?");
  for (const { call, model, ts, ...usage } of rows)
    set.run(model === null ? null : priceOf(prices, model, usage, ts), pk, call);
  return plucked(
    sqlite,
    "SELECT sum(usd) FROM model_calls WHERE session_pk = ? AND inherited = 0 AND has_usage = 1",
  ).get(pk) as number | null;
}
