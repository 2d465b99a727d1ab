// The write of a budget. What was spent of it is in the room of usage.
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { BudgetRequest } from "#lib/wire/budgets-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { BUDGETS_SETTING, readBudgets } from "../base/budget-rows.ts";
import { putSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";

/** The write of saveBudget: it takes the place of the one of the same period and project. */
function keepBudget(archive: Archive, _batch: Batch, { period, project, limitUsd }: BudgetRequest): null {
  const others = readBudgets(archive).filter((one) => one.period !== period || one.project !== project);
  if (limitUsd !== null && others.length >= LIMITS.budgets)
    fail("conflict", `There are ${LIMITS.budgets} budgets, the most there may be. Remove one first.`);
  const budgets = limitUsd === null ? others : [...others, { period, project, limitUsd }];
  putSetting(archive, BUDGETS_SETTING, budgets.length === 0 ? null : budgets);
  return null;
}

export const saveBudgetWrite = defineWrite("saveBudget", keepBudget);
