import { deletePreview } from "#lib/archive/artifacts/delete-artifact.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({
  params: artifactParams,
  run: ({ slot, params }) => deletePreview(slot.archive, params.pointer),
});
