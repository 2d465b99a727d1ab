// Budgets that came near their end, or passed it, for webhooks. What was said is kept beside them: a month is longer than the
// log of messages, and each state is said once in each period.
import { hash } from "node:crypto";
import { command } from "#db/statement.ts";
import { BUDGET_STATES, type BudgetState } from "#lib/kernel/load/budgets.ts";
import type { BudgetRow } from "#lib/wire/budgets-schema.ts";
import type { WebhookKind } from "#lib/wire/webhooks-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";
import { queueNotices, type Notice } from "../settings/webhook-queue.ts";
import { listBudgets } from "./list-budgets.ts";

const SAID = "usage.budgets.said";

/** By budget: the first day of the period in which something was said, and what. */
type Said = Readonly<Record<string, { readonly since: string | null; readonly state: BudgetState }>>;

export type BudgetNotices = { readonly notices: readonly Notice[]; readonly said: Said };

/** Null where nothing is new, or no webhook wants it. */
export function budgetNotices(archive: Archive): BudgetNotices | null {
  if (!isWanted(archive)) return null;
  const now = archive.host.now();
  const before = (readSetting(archive, SAID) as Said | null) ?? {};
  const rows = listBudgets(archive, now).map((row) => ({ row, key: keyOf(row) }));
  const known = ({ row, key }: (typeof rows)[number]): BudgetState => {
    const last = before[key];
    return last?.since === row.since ? last.state : "under";
  };
  const fresh = rows.filter((one) => rank(one.row.state) > rank(known(one)));
  if (fresh.length === 0) return null;
  const said = rows.map((one) => {
    const state = fresh.includes(one) ? one.row.state : known(one);
    return [one.key, { since: one.row.since, state }] as const;
  });
  return { notices: fresh.map(({ row }) => budgetNotice(row, now)), said: Object.fromEntries(said) };
}

/** The write: what was said and what is sent are one. */
function queueBudgets(archive: Archive, batch: Batch, { notices, said }: BudgetNotices): number {
  putSetting(archive, SAID, said);
  return queueNotices(archive, batch, { notices });
}

export const queueBudgetNoticesWrite = defineWrite("queueBudgetNotices", queueBudgets);

const isWanted = ({ sqlite }: Archive): boolean =>
  command(
    sqlite,
    `SELECT 1 FROM webhooks WHERE enabled = 1
       AND EXISTS (SELECT 1 FROM json_each(kinds) WHERE value = '${"budget" satisfies WebhookKind}') LIMIT 1`,
  ).get() !== undefined;

const rank = (state: BudgetState): number => BUDGET_STATES.indexOf(state);

/** Another limit is another budget. */
const keyOf = ({ period, project, limitUsd }: BudgetRow): string => JSON.stringify([period, project, limitUsd]);

export function budgetNotice(row: BudgetRow, now: number): Notice {
  const { period, project, limitUsd, usd, isPartial, share, state, since } = row;
  return {
    kind: "budget",
    type: `budget.${state}`,
    message: `msg_${hash("sha256", JSON.stringify(["budget", keyOf(row), since, state]), "hex").slice(0, 24)}`,
    session: null,
    at: now,
    data: { period, since, limitUsd, usd, isPartial, share: Math.round(share * 1000) / 1000, project },
    // A folder's name is a person's, as a title is.
    personal: ["project"],
  };
}
