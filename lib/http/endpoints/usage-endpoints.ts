// Usage of all sessions by day, week, month or session; budgets; and what was carried for nothing.
import { listBlocks } from "#lib/archive/load/list-blocks.ts";
import { listUnused } from "#lib/archive/load/list-unused.ts";
import { listBudgets, usageWithBudgets } from "#lib/archive/load/list-budgets.ts";
import { saveBudget } from "#lib/archive/load/save-budget.ts";
import { blocksAnswer, blocksQuery } from "#lib/wire/blocks-schema.ts";
import { budgetRequest, budgetsAnswer } from "#lib/wire/budgets-schema.ts";
import { unusedAnswer, unusedQuery, usageAnswer, usageQuery } from "#lib/wire/usage-schema.ts";
import { get, put } from "../endpoint.ts";

export const usageEndpoints = [
  get("/api/usage", {
    query: usageQuery,
    answer: usageAnswer,
    run: ({ archive, query }) => usageWithBudgets(archive, query, archive.host.now()),
  }),
  get("/api/usage/blocks", {
    query: blocksQuery,
    answer: blocksAnswer,
    run: ({ archive, query }) => listBlocks(archive, query, archive.host.now()),
  }),
  get("/api/usage/budgets", {
    answer: budgetsAnswer,
    run: ({ archive }) => ({ budgets: listBudgets(archive, archive.host.now()) }),
  }),
  put("/api/usage/budgets", {
    body: budgetRequest,
    answer: budgetsAnswer,
    run: async ({ app, archive, body }) => {
      const answer = await saveBudget(archive, body);
      // Open pages say what is over; webhooks are told.
      app.changes.publish({ type: "sessions" });
      return answer;
    },
  }),
  get("/api/usage/unused", {
    query: unusedQuery,
    answer: unusedAnswer,
    run: ({ archive, query }) => listUnused(archive, query.days, archive.host.now()),
  }),
];
