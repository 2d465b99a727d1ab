import { anyContextMessage } from "#lib/archive/memory/plan-context.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { contextMessageQuery } from "#lib/wire/memory-schema.ts";

export const GET = route({
  params: sessionParams,
  query: contextMessageQuery,
  run: ({ slot, params, query }) => anyContextMessage(slot.archive, params.id, query),
});
