import { refreshAttached } from "#lib/archive/memory/attach-directory.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const POST = route({
  params: sessionParams,
  run: ({ slot, params }) => refreshAttached(slot.archive, params.id),
});
