import { artifactLines } from "#lib/archive/artifacts/artifact-lines.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { linesQuery } from "#lib/wire/artifacts-schema.ts";

export const GET = route({
  params: artifactParams,
  query: linesQuery,
  run: ({ slot, params, query }) => artifactLines(slot.archive, params.pointer, query),
});
