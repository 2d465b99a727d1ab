import { sessionLoad } from "#lib/archive/session-load.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({ params: sessionParams, run: ({ slot, params }) => sessionLoad(slot.archive, params.id) });
