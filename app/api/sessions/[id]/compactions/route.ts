import { compactSession } from "#lib/archive/memory/compact.ts";
import { listCompactions } from "#lib/archive/memory/compaction-rows.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { compactRequest } from "#lib/wire/memory-schema.ts";

export const GET = route({
  params: sessionParams,
  run: ({ slot, params }) => listCompactions(slot.archive, params.id),
});

/** A dry run unless the request says otherwise; who goes away stops it. */
export const POST = route({
  params: sessionParams,
  body: compactRequest,
  run: ({ slot, params, body, signal }) => compactSession(slot.archive, params.id, body, { signal }),
});
