// Budgets of a fleet that came near their end, or passed it, for webhooks. What was said is a row beside the messages, changed in the same
// transaction: of nodes that find the same, one changes it.
import { budgetNotice } from "#lib/archive/load/budget-notices.ts";
import { BUDGET_STATES } from "#lib/kernel/load/budgets.ts";
import { fleetBudgets } from "../answers/fleet-budgets.ts";
import type { Fleet } from "../open-fleet.ts";
import { EVERY_PROJECT } from "../people/audit.ts";
import { isWanted, queueFleetNotices } from "./webhook-deliveries.ts";

/** How many messages were decided on. Nothing is said while no webhook wants it. */
export async function queueBudgetWarnings(fleet: Fleet, now: number): Promise<number> {
  const { sql, ask } = fleet;
  if (!(await ask(() => isWanted(sql, "budget")))) return 0;
  const strained = (await fleetBudgets(fleet, "all", now)).filter(({ state }) => state !== "under");
  let said = 0;
  for (const row of strained) {
    const { period, limitUsd, state } = row;
    said += await ask(() =>
      sql.begin(async (tx) => {
        // A node whose clock is behind has the day before: that is over, where the next was said something of.
        const changed = await tx`INSERT INTO budget_notices AS b (project, period, limit_usd, since, said)
          VALUES (${row.project ?? EVERY_PROJECT}, ${period}, ${limitUsd}, ${row.since ?? ""}, ${BUDGET_STATES.indexOf(state)})
          ON CONFLICT (project, period, limit_usd) DO UPDATE SET since = excluded.since, said = excluded.said
            WHERE excluded.since > b.since OR (excluded.since = b.since AND excluded.said > b.said) RETURNING 1`;
        if (changed.length > 0) await queueFleetNotices(tx, [budgetNotice(row, now)], now);
        return changed.length;
      }),
    );
  }
  return said;
}
