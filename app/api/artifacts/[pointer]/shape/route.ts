import { shapeOfArtifact } from "#lib/archive/artifacts/shape-of-artifact.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({
  params: artifactParams,
  run: ({ slot, params }) => shapeOfArtifact(slot.archive, params.pointer),
});
