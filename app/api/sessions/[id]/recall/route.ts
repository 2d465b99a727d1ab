import { recall } from "#lib/archive/memory/recall-session.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { recallQuery } from "#lib/wire/recall-schema.ts";

export const GET = route({
  params: sessionParams,
  query: recallQuery,
  run: ({ slot, params, query }) => recall(slot.archive, params.id, query),
});
