// Usage of all sessions by day, week, month or session; budgets; and what was carried for nothing. On a node of a fleet the
// catalogue answers; what it does not have is refused, since the node's cache would be a part that looks like the whole.
import { listBlocks } from "#lib/archive/load/list-blocks.ts";
import { listUnused } from "#lib/archive/load/list-unused.ts";
import { listBudgets, usageWithBudgets } from "#lib/archive/load/list-budgets.ts";
import { saveBudget } from "#lib/archive/load/save-budget.ts";
import { fail } from "#lib/kernel/errors.ts";
import { blocksAnswer, blocksQuery } from "#lib/wire/blocks-schema.ts";
import { budgetRequest, budgetsAnswer } from "#lib/wire/budgets-schema.ts";
import { unusedAnswer, unusedQuery, usageAnswer, usageQuery } from "#lib/wire/usage-schema.ts";
import type { AppContext } from "../app-context.ts";
import { get, put } from "../endpoint.ts";
import { projectsOf } from "../fleet-projects.ts";

const NO_BLOCKS =
  "A fleet has no five-hour blocks: a plan counts those of one account. Run plimsoll usage on its machine.";
const NO_BUDGETS = "A fleet has no budgets yet. Usage by project shows what was spent.";

function refuseOnNode({ fleet }: AppContext, message: string): void {
  if (fleet !== null) fail("unsupported", message);
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
      refuseOnNode(app, NO_BLOCKS);
      return listBlocks(archive, query, archive.host.now());
    },
  }),
  get("/api/usage/budgets", {
    answer: budgetsAnswer,
    run: ({ app, archive }) => {
      refuseOnNode(app, NO_BUDGETS);
      return { budgets: listBudgets(archive, archive.host.now()) };
    },
  }),
  put("/api/usage/budgets", {
    body: budgetRequest,
    answer: budgetsAnswer,
    run: async ({ app, archive, body }) => {
      refuseOnNode(app, NO_BUDGETS);
      const answer = await saveBudget(archive, body);
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
