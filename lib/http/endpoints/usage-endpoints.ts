// Usage of all sessions by day, week, month or session; and what was carried for nothing.
import { listBlocks } from "#lib/archive/load/list-blocks.ts";
import { listUnused } from "#lib/archive/load/list-unused.ts";
import { usageReport } from "#lib/archive/load/usage-report.ts";
import { blocksAnswer, blocksQuery } from "#lib/wire/blocks-schema.ts";
import { unusedAnswer, unusedQuery, usageAnswer, usageQuery } from "#lib/wire/usage-schema.ts";
import { get } from "../endpoint.ts";

export const usageEndpoints = [
  get("/api/usage", {
    query: usageQuery,
    answer: usageAnswer,
    run: ({ archive, query }) => usageReport(archive, query),
  }),
  get("/api/usage/blocks", {
    query: blocksQuery,
    answer: blocksAnswer,
    run: ({ archive, query }) => listBlocks(archive, query, archive.host.now()),
  }),
  get("/api/usage/unused", {
    query: unusedQuery,
    answer: unusedAnswer,
    run: ({ archive, query }) => listUnused(archive, query.days, archive.host.now()),
  }),
];
