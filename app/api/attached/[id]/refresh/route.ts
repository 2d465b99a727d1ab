import { refreshAttached } from "#lib/archive/attached/attach.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const POST = route({
  params: sessionParams,
  run: ({ slot, params }) => refreshAttached(slot.archive, params.id),
});
