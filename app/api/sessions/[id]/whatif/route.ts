import { whatIfOf } from "#lib/archive/load/replay-session.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { whatIfQuery } from "#lib/wire/what-if-schema.ts";

export const GET = route({
  params: sessionParams,
  query: whatIfQuery,
  lists: ["dropTools"],
  run: ({ slot, params, query }) => whatIfOf(slot.archive, params.id, query),
});
