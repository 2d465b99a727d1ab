import { artifactHistory } from "#lib/archive/sessions/artifact-lineage.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({
  params: artifactParams,
  run: ({ slot, params }) => artifactHistory(slot.archive, params.pointer),
});
