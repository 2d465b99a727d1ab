import { findSession } from "#lib/archive/base/find-session.ts";
import { isCounting } from "#lib/archive/load/is-counting.ts";
import { anyContext } from "#lib/archive/memory/plan-context.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { contextQuery } from "#lib/wire/memory-schema.ts";

export const GET = route({
  params: sessionParams,
  query: contextQuery,
  run: async ({ slot, params, query }) => {
    const context = await anyContext(slot.archive, params.id, query);
    // Somebody looks at it: its tokens are counted before those of other sessions.
    const pk = findSession(slot.archive, params.id);
    if (isCounting(slot.archive, pk)) slot.imports.count(pk);
    return context;
  },
});
