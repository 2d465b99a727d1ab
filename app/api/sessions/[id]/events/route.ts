import { listEvents } from "#lib/archive/list-events.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { eventsQuery } from "#lib/wire/events.ts";

export const GET = route({
  params: sessionParams,
  query: eventsQuery,
  run: ({ slot, params, query }) => listEvents(slot.archive, params.id, query),
});
