import { getEvent } from "#lib/archive/sessions/list-events.ts";
import { eventParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({
  params: eventParams,
  run: ({ slot, params }) => getEvent(slot.archive, params.id, params.seq),
});
