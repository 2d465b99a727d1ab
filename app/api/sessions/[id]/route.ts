import { showSession } from "#lib/archive/sessions/show-session.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({
  params: sessionParams,
  run: async ({ slot, params, boundSession }) => {
    const summary = await showSession(slot.archive, params.id);
    // Its relatives are other sessions: a token that is bound to this one does not see them.
    return boundSession === null
      ? summary
      : { ...summary, parentId: null, parentToolCallSeq: null, lineage: [], children: 0 };
  },
});
