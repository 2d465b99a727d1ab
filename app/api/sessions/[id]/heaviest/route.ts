import { heaviest } from "#lib/archive/load/heaviest.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({ params: sessionParams, run: ({ slot, params }) => heaviest(slot.archive, params.id) });
