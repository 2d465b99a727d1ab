import { contextMessageOf } from "#lib/archive/memory/context.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { contextMessageQuery } from "#lib/wire/memory.ts";

export const GET = route({
  params: sessionParams,
  query: contextMessageQuery,
  run: ({ slot, params, query }) => contextMessageOf(slot.archive, params.id, query),
});
