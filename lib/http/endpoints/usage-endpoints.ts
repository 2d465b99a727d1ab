// Usage of all sessions by day, week, month or session; budgets; and what was carried for nothing. On a node of a fleet the
// catalogue answers; what it does not have is refused, since the node's cache would be a part that looks like the whole.
import { listBlocks } from "#lib/archive/load/list-blocks.ts";
import { listUnused } from "#lib/archive/load/list-unused.ts";
import { listBudgets, usageWithBudgets } from "#lib/archive/load/list-budgets.ts";
import { saveBudget } from "#lib/archive/load/save-budget.ts";
import type { FleetNode } from "#lib/fleet/fleet-node.ts";
import { fail, forbid } from "#lib/kernel/errors.ts";
import { blocksAnswer, blocksQuery } from "#lib/wire/blocks-schema.ts";
import { budgetRequest, budgetsAnswer, type BudgetRequest, type BudgetsAnswer } from "#lib/wire/budgets-schema.ts";
import { unusedAnswer, unusedQuery, usageAnswer, usageQuery } from "#lib/wire/usage-schema.ts";
import { get, put, type Call } from "../endpoint.ts";
import { askedBy } from "../fleet-admission.ts";
import { projectsOf, requireRole } from "../fleet-projects.ts";

const NO_BLOCKS =
  "A fleet has no five-hour blocks: a plan counts those of one account. Run plimsoll usage on its machine.";

/** A budget of a project is for its admins to set, that of all for those of the fleet. */
async function saveOfFleet(
  fleet: FleetNode,
  budget: BudgetRequest,
  { principal, request }: Pick<Call, "principal" | "request">,
): Promise<BudgetsAnswer> {
  if (budget.project !== null) requireRole(principal, budget.project, "admin");
  else if (principal.access !== "all")
    forbid("Only an admin of the fleet sets a budget of all projects. Name one of yours.");
  await fleet.answers.saveBudget(budget, askedBy({ principal, request }));
  return { budgets: await fleet.answers.budgets(projectsOf(principal)) };
}

export const usageEndpoints = [
  get("/api/usage", {
    query: usageQuery,
    answer: usageAnswer,
    run: ({ app, archive, query, principal }) =>
      app.fleet?.answers.usage(query, projectsOf(principal)) ?? usageWithBudgets(archive, query, archive.host.now()),
  }),
  get("/api/usage/blocks", {
    query: blocksQuery,
    answer: blocksAnswer,
    run: ({ app, archive, query }) => {
      if (app.fleet !== null) fail("unsupported", NO_BLOCKS);
      return listBlocks(archive, query, archive.host.now());
    },
  }),
  get("/api/usage/budgets", {
    answer: budgetsAnswer,
    run: async ({ app, archive, principal }) => ({
      budgets: (await app.fleet?.answers.budgets(projectsOf(principal))) ?? listBudgets(archive, archive.host.now()),
    }),
  }),
  put("/api/usage/budgets", {
    body: budgetRequest,
    answer: budgetsAnswer,
    run: async ({ app, archive, body, principal, request }) => {
      const answer =
        app.fleet === null
          ? await saveBudget(archive, body)
          : await saveOfFleet(app.fleet, body, { principal, request });
      // Open pages say what is over; webhooks are told.
      app.changes.publish({ type: "sessions" });
      return answer;
    },
  }),
  get("/api/usage/unused", {
    query: unusedQuery,
    answer: unusedAnswer,
    run: ({ app, archive, query, principal }) =>
      app.fleet?.answers.unused(query.days, projectsOf(principal)) ??
      listUnused(archive, query.days, archive.host.now()),
  }),
];
