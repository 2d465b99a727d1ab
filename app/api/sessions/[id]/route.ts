import { showSession } from "#lib/archive/show-session.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({ params: sessionParams, run: ({ slot, params }) => showSession(slot.archive, params.id) });
