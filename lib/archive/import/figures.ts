// Figures that need the whole session: the load line, how near the peak came, and the cost.
import type { Usage } from "#lib/kernel/draft.ts";
import type { PriceTable } from "#lib/kernel/host.ts";
import { usageUsd } from "#lib/kernel/load/rates.ts";
import { stateOf, type SessionState } from "#lib/kernel/load/state.ts";
import type { Archive } from "../archive.ts";
import { pricesFor, setWindow } from "../model-overrides.ts";
import { readTally, type Tally } from "./tally.ts";
import { observedWindow } from "./observed.ts";
import { plucked, prepared } from "./prepared.ts";

export type LoadLine = {
  readonly tokens: number | null;
  readonly origin: string | null;
  readonly window: number | null;
  /** Who said so, for those who count them. */
  readonly by: "settings" | "observed" | "reported" | "table" | "larger" | null;
};

type LineRow = {
  readonly model: string | null;
  /** Where it ran: a person's override may hold for one project alone. */
  readonly cwd: string | null;
  readonly window: number | null;
  readonly peakTokens: number | null;
};

/** Windows that providers sell: where the table names a smaller one than what was sent, the next holds. */
const WINDOWS = [200_000, 272_000, 400_000, 1_000_000, 2_000_000] as const;

const OTHERS = "observed: other sessions of this model were compacted at this load";

/**
 * The input budget that the load line shows. What a person set comes first: it is a wish. Then, where the agent compacted by
 * itself, the load that it did not exceed, whatever a table says: sessions with a table window of 1 M were seen to compact
 * at about 160,000. Then what the agent reported, then what other sessions of the model show, then the table.
 */
export function loadLineOf(archive: Archive, row: LineRow, tally: Tally): LoadLine {
  const set = setWindow(archive, row.model, row.cwd);
  if (set !== null) return { tokens: set, origin: "set in settings", window: set, by: "settings" };
  const table = row.model === null ? null : archive.host.prices.window(row.model);
  const peak = row.peakTokens ?? 0;
  const known = row.window ?? table;
  const window =
    known === null || known >= peak || row.window !== null || tally.overflow
      ? known
      : (WINDOWS.find((size) => size >= peak) ?? known);
  // A prompt that was answered fitted: where none was refused, the line is not under the peak.
  const observed =
    tally.autoCompactAt === null ? null : tally.overflow ? tally.autoCompactAt : Math.max(tally.autoCompactAt, peak);
  if (observed !== null && (window === null || observed <= window * 1.05))
    return { tokens: observed, origin: "observed: the agent compacted at this load", window, by: "observed" };
  if (row.window !== null) return { tokens: row.window, origin: "reported by the agent", window, by: "reported" };
  const others = observedWindow(archive, row.model);
  // A prompt beyond it ran in a larger window than the others did.
  if (others !== null && peak <= others * 1.05 && (window === null || others < window))
    return { tokens: Math.max(others, peak), origin: OTHERS, window, by: "observed" };
  if (window === null) return { tokens: null, origin: null, window, by: null };
  return window === table
    ? { tokens: window, origin: "the model's window, from the price table", window, by: "table" }
    : { tokens: window, origin: "a larger window than the table names was used", window, by: "larger" };
}

/** Writes load line, peak share and cost of a session. */
export function settleFigures(archive: Archive, pk: number): void {
  const { sqlite } = archive;
  const row = prepared(
    sqlite,
    "SELECT model, cwd, window, peak_tokens AS peakTokens, automatic, tally FROM sessions WHERE pk = ?",
  ).get(pk) as (LineRow & { automatic: number; tally: string }) | undefined;
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
