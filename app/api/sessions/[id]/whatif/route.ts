import { whatIfOf } from "#lib/archive/load/what-if.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { whatIfQuery } from "#lib/wire/what-if.ts";

export const GET = route({
  params: sessionParams,
  query: whatIfQuery,
  lists: ["dropTools"],
  run: ({ slot, params, query }) => whatIfOf(slot.archive, params.id, query),
});
