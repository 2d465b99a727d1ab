import { listEvents } from "#lib/archive/sessions/list-events.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { eventsQuery } from "#lib/wire/events-schema.ts";
import { ingestRequest } from "#lib/wire/memory-schema.ts";

export const GET = route({
  params: sessionParams,
  query: eventsQuery,
  run: ({ slot, params, query }) => listEvents(slot.archive, params.id, query),
});

export const POST = route({
  params: sessionParams,
  body: ingestRequest,
  run: ({ slot, params, body }) => ingest(slot.archive, params.id, body.records, { epoch: body.epoch }),
});
