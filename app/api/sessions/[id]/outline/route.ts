import { outline } from "#lib/archive/sessions/outline.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({ params: sessionParams, run: ({ slot, params }) => outline(slot.archive, params.id) });
