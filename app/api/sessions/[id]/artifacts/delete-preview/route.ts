import { endPreview } from "#lib/archive/artifacts/end-session.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({
  params: sessionParams,
  run: async ({ slot, params }) => endPreview(slot.archive, params.id),
});
