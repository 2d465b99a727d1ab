import { listBudgets } from "#lib/archive/load/list-budgets.ts";
import { saveBudget } from "#lib/archive/load/save-budget.ts";
import type { BudgetsAnswer } from "#lib/wire/budgets-schema.ts";
import { listProjects } from "#lib/archive/sessions/list-projects.ts";
import type { Run } from "./args.ts";
import { budgetIn, noteUnknownProject, printBudgets } from "./budget-words.ts";
import { requireMachine } from "./node-cache.ts";
import { reading, writing } from "./open-archive.ts";

const COMMAND = "plimsoll budget";

export const run: Run = async (words) => {
  const request = budgetIn(words, words.args, COMMAND, "FOLDER");
  requireMachine(words, "budgets");
  const answer =
    request === null
      ? await reading(words, async (archive) => ({ budgets: listBudgets(archive, archive.host.now()) }))
      : await writing<BudgetsAnswer>(words, "budget-save", request, (archive) => saveBudget(archive, request));
  printBudgets(words, answer, COMMAND);
  if (request !== null) noteUnknownProject(request, await reading(words, async (archive) => listProjects(archive)));
};
