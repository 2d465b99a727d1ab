import { listBudgets } from "#lib/archive/load/list-budgets.ts";
import { saveBudget } from "#lib/archive/load/save-budget.ts";
import { BUDGET_PERIODS, type BudgetPeriod } from "#lib/kernel/load/budgets.ts";
import type { BudgetsAnswer } from "#lib/wire/budgets-schema.ts";
import { textOption, WrongWords, type Run, type Words } from "./args.ts";
import { budgetTable } from "./budget-table.ts";
import { reading, writing } from "./open-archive.ts";
import { printJson } from "./print.ts";

export const run: Run = async (words) => {
  const [action = "list", period, amount, ...more] = words.args;
  if (action === "list" && period === undefined)
    return print(
      words,
      await reading(words, async (archive) => ({ budgets: listBudgets(archive, archive.host.now()) })),
    );
  if (action !== "set" && action !== "remove")
    throw new WrongWords(`plimsoll budget takes list, set or remove, not "${action}".`);
  const project = textOption(words, "project") ?? null;
  const known = BUDGET_PERIODS.find((one) => one === period);
  if (known === undefined) throw new WrongWords(`plimsoll budget ${action} takes ${BUDGET_PERIODS.join(", ")}.`);
  if (known === "total" && project === null) throw new WrongWords("A total is of one project: --project FOLDER.");
  if (more.length > 0 || (action === "remove" && amount !== undefined))
    throw new WrongWords(`Unexpected argument for plimsoll budget ${action}.`);
  const limitUsd = action === "remove" ? null : dollarsIn(amount, known);
  const request = { period: known, project, limitUsd };
  print(words, await writing<BudgetsAnswer>(words, "budget-save", request, (archive) => saveBudget(archive, request)));
};

function dollarsIn(text: string | undefined, period: BudgetPeriod): number {
  const usd = /^\$?\d{1,9}(?:\.\d{1,4})?$/.test(text ?? "") ? Number(text!.replace("$", "")) : 0;
  if (usd > 0) return usd;
  throw new WrongWords(`plimsoll budget set ${period} takes dollars, like 20 or 12.50.`);
}

function print(words: Words, answer: BudgetsAnswer): void {
  if (words.options["json"] === true) return printJson(answer);
  if (answer.budgets.length === 0) return console.log("No budgets. Set one: plimsoll budget set day 20");
  console.log(budgetTable(answer.budgets));
}
