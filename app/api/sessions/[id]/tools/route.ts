import { listTools } from "#lib/archive/sessions/list-tools.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({ params: sessionParams, run: ({ slot, params }) => listTools(slot.archive, params.id) });
