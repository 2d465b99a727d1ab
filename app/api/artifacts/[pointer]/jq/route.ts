import { queryArtifact } from "#lib/archive/artifacts/ask-artifact.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { jqQuery, jqRequest } from "#lib/wire/tools-schema.ts";

export const GET = route({
  params: artifactParams,
  query: jqQuery,
  run: ({ slot, params, query, holder, signal }) =>
    queryArtifact(slot.archive, params.pointer, query, holder.id, signal),
});

/** The same for a program that is too long for an address. */
export const POST = route({
  params: artifactParams,
  body: jqRequest,
  run: ({ slot, params, body, holder, signal }) => queryArtifact(slot.archive, params.pointer, body, holder.id, signal),
});
