import { listRuns } from "#lib/archive/playground/history.ts";
import { route } from "#lib/http/route.ts";
import { historyQuery } from "#lib/wire/playground-schema.ts";

export const GET = route({
  query: historyQuery,
  run: ({ slot, query }) => listRuns(slot.archive, query),
});
