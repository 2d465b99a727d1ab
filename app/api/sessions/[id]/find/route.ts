import { findInSession } from "#lib/archive/sessions/find-in-session.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { findQuery } from "#lib/wire/events-schema.ts";

export const GET = route({
  params: sessionParams,
  query: findQuery,
  run: ({ slot, params, query }) => findInSession(slot.archive, params.id, query.q),
});
