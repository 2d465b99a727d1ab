import { showArtifact } from "#lib/archive/show-artifact.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({
  params: artifactParams,
  run: ({ slot, params }) => showArtifact(slot.archive, params.pointer),
});
