// `budget list`, `budget set PERIOD USD` and `budget remove PERIOD`, of one machine and of a fleet.
import { BUDGET_PERIODS } from "#lib/kernel/load/budgets.ts";
import { nearestNames } from "#lib/kernel/nearest-names.ts";
import type { BudgetRequest, BudgetsAnswer } from "#lib/wire/budgets-schema.ts";
import { textOption, WrongWords, type Words } from "./args.ts";
import { budgetTable } from "./budget-table.ts";
import { counted, oneLine, printJson } from "./print.ts";

/** The budget that is set or removed; null where they are listed. `command`: as it was typed. */
export function budgetIn(words: Words, args: readonly string[], command: string, what: string): BudgetRequest | null {
  const [action = "list", period, amount, ...more] = args;
  if (action === "list" && period === undefined) return null;
  if (action !== "set" && action !== "remove")
    throw new WrongWords(`${command} takes list, set or remove, not "${action}".`);
  const project = textOption(words, "project") ?? null;
  const known = BUDGET_PERIODS.find((one) => one === period);
  if (known === undefined) throw new WrongWords(`${command} ${action} takes ${BUDGET_PERIODS.join(", ")}.`);
  if (known === "total" && project === null) throw new WrongWords(`A total is of one project: --project ${what}.`);
  if (more.length > 0 || (action === "remove" && amount !== undefined))
    throw new WrongWords(`Unexpected argument for ${command} ${action}.`);
  return {
    period: known,
    project,
    limitUsd: action === "remove" ? null : dollarsIn(amount, `${command} set ${known}`),
  };
}

function dollarsIn(text: string | undefined, command: string): number {
  const usd = /^\$?\d{1,9}(?:\.\d{1,4})?$/.test(text ?? "") ? Number(text!.replace("$", "")) : 0;
  if (usd > 0) return usd;
  throw new WrongWords(`${command} takes dollars, like 20 or 12.50.`);
}

export function printBudgets(words: Words, answer: BudgetsAnswer, command: string): void {
  if (words.options["json"] === true) return printJson(answer);
  if (answer.budgets.length === 0) return console.log(`No budgets. Set one: ${command} set day 20`);
  console.log(budgetTable(answer.budgets));
}

/** A budget may be of a project that has no session yet, so a name that was meant otherwise is a note beside it. */
export function noteUnknownProject({ project, limitUsd }: BudgetRequest, known: readonly string[]): void {
  if (project === null || limitUsd === null || known.includes(project)) return;
  const near = nearestNames(project, known, NEAREST).map((one) => oneLine(one, 60));
  const nearest = near.length === 0 ? "" : ` Nearest of ${counted(known.length, "project")}: ${near.join(", ")}.`;
  console.error(`No session of ${oneLine(project, 60)} yet.${nearest}`);
}

const NEAREST = 3;
