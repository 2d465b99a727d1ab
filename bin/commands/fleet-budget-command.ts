// `plimsoll fleet budget`: what the projects of a fleet may spend, and what they spent of it.
import { fleetBudgets, fleetProjects, saveFleetBudget } from "#lib/fleet/answers/fleet-budgets.ts";
import type { Fleet } from "#lib/fleet/open-fleet.ts";
import type { Words } from "./args.ts";
import { budgetIn, noteUnknownProject, printBudgets } from "./budget-words.ts";
import { byCommand, projectOf } from "./fleet-words.ts";

const COMMAND = "plimsoll fleet budget";

export async function budget(fleet: Fleet, words: Words): Promise<void> {
  const request = budgetIn(words, words.args.slice(1), COMMAND, "NAME");
  if (request !== null) {
    if (request.project !== null) projectOf(request.project);
    await saveFleetBudget(fleet, request, byCommand());
  }
  printBudgets(words, { budgets: await fleetBudgets(fleet, "all", Date.now()) }, COMMAND);
  if (request !== null) noteUnknownProject(request, await fleetProjects(fleet));
}
