// Usage of all sessions by day, week, month or session.
import { usageReport } from "#lib/archive/load/usage-report.ts";
import { usageAnswer, usageQuery } from "#lib/wire/usage-schema.ts";
import { get } from "../endpoint.ts";

export const usageEndpoints = [
  get("/api/usage", {
    query: usageQuery,
    answer: usageAnswer,
    run: ({ archive, query }) => usageReport(archive, query),
  }),
];
