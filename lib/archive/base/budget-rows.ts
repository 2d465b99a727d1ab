// The budgets that a person set, as the archive keeps them. Apart from their write: the status line has no time to load it.
import type { Connection } from "#db/connection.ts";
import type { BudgetPeriod } from "#lib/kernel/load/budgets.ts";
import { readSetting } from "./setting-rows.ts";

export const BUDGETS_SETTING = "usage.budgets";

export type Budget = { readonly period: BudgetPeriod; readonly project: string | null; readonly limitUsd: number };

export const readBudgets = (archive: Connection): readonly Budget[] =>
  (readSetting(archive, BUDGETS_SETTING) as readonly Budget[] | null) ?? [];
