import { searchArtifact } from "#lib/archive/artifacts/ask-artifact.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { grepQuery } from "#lib/wire/tools-schema.ts";

export const GET = route({
  params: artifactParams,
  query: grepQuery,
  run: ({ slot, params, query, holder, signal }) =>
    searchArtifact(slot.archive, params.pointer, query, holder.id, signal),
});
