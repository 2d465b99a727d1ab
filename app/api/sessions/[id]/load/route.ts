import { findSession } from "#lib/archive/base/find-session.ts";
import { sessionLoad } from "#lib/archive/load/session-load.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({
  params: sessionParams,
  run: async ({ slot, params }) => {
    const load = await sessionLoad(slot.archive, params.id);
    // Somebody looks at it: its tokens are counted before those of other sessions.
    if (load.counting) slot.imports.count(findSession(slot.archive, params.id));
    return load;
  },
});
