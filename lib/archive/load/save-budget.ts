// Sets, changes and removes a budget.
import { fail } from "#lib/kernel/errors.ts";
import { budgetRequest, type BudgetsAnswer } from "#lib/wire/budgets-schema.ts";
import type { z } from "zod";
import type { Archive } from "../base/archive-type.ts";
import { readBudgets } from "../base/budget-rows.ts";
import { write } from "../base/write.ts";
import { saveBudgetWrite } from "../settings/budget-setting.ts";
import { listBudgets } from "./list-budgets.ts";

/** All budgets, as they are now. */
export async function saveBudget(archive: Archive, input: z.input<typeof budgetRequest>): Promise<BudgetsAnswer> {
  const read = budgetRequest.safeParse(input);
  // The command line comes here without a door that checks.
  if (!read.success) fail("invalid", `This budget cannot be saved. ${wordsOf(read.error.issues[0]!)}`);
  const { period, project, limitUsd } = read.data;
  if (limitUsd === null && !readBudgets(archive).some((one) => one.period === period && one.project === project))
    fail("not_found", `No budget per ${period}${project === null ? "" : ` of ${project}`}. List them: plimsoll budget`);
  await write(archive, saveBudgetWrite, read.data);
  return { budgets: listBudgets(archive, archive.host.now()) };
}

const wordsOf = ({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string =>
  `${String(path[0] ?? "It")}: ${message}`;
