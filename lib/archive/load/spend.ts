// What a session cost, and what the calls that it inherited cost elsewhere. Every page, list and command that says dollars of
// a session asks here, so that all say the same.
import { NO_USAGE, promptTokens } from "#lib/kernel/draft.ts";
import type { Cost } from "#lib/wire/cost-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { SessionCounters } from "../import/session-counters.ts";
import { reportedSpend } from "./reported-spend.ts";
import { callsByModel, spendOf, type ModelCalls } from "../base/call-sums.ts";
import { overridesOf, pricesFor } from "../base/model-overrides.ts";

type SessionRow = { readonly pk: number; readonly cwd: string | null };

/**
 * Dollars of a session: what it spent itself, and apart what its inherited calls cost the session that made them. `known`:
 * the calls, where a list asked for all of its sessions at once.
 */
export function costOf(
  archive: Archive,
  session: SessionRow,
  counters: SessionCounters,
  known: ReadonlyMap<number, readonly ModelCalls[]> = callsByModel(archive, [session.pk]),
): Cost {
  const rows = known.get(session.pk) ?? [];
  const own = rows.filter(({ inherited }) => inherited === 0);
  const inherited = rows.filter((row) => row.inherited === 1);
  const sum = (of: (row: ModelCalls) => number): number => own.reduce((all, row) => all + of(row), 0);
  // A look into the table takes as long as the query: nearly always there is nothing to be said of the prices.
  const hasOverrides = overridesOf(archive).length > 0;
  const rates = own.flatMap((row) => {
    if (!hasOverrides && row.written1h === 0) return [];
    const found = row.model === null ? null : pricesFor(archive, session.cwd).rates(row.model, NO_USAGE, null);
    return found === null || row.priced === 0 ? [] : [{ ...row, ...found }];
  });
  const isSet = rates.length > 0 && rates.every((one) => one.isSet);
  const hasCalls = rows.length > 0;
  return {
    ...spendOf(own, counters.lost === null ? 0 : promptTokens(counters.lost) + counters.lost.output),
    ...(!hasCalls && { usd: null }),
    origin: counters.counted > 0 ? "counted" : isSet ? "set" : "list",
    unpriced: sum((row) => row.unpriced),
    placeholders: sum((row) => row.placeholders),
    notes: rates
      .filter(({ isDerived, written1h }) => isDerived && written1h > 0)
      .map(
        ({ model }) =>
          `One-hour cache writes of ${model} are priced at 2 × its input price: the price table names none.`,
      ),
    inherited: inherited.length === 0 ? null : spendOf(inherited, 0),
    reported: reportedSpend(archive, session, counters),
  };
}
