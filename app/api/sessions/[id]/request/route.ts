import { nextRequest } from "#lib/archive/memory/next-request.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { agentRequestQuery } from "#lib/wire/agent-request-schema.ts";

/** An agent that goes away stops nothing: the compaction is finished, and its next request finds it done. */
export const POST = route({
  params: sessionParams,
  body: agentRequestQuery,
  run: ({ slot, params, body }) => nextRequest(slot.archive, params.id, body),
});
