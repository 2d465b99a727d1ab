import { deleteArtifact } from "#lib/archive/artifacts/delete-artifact.ts";
import { showArtifact } from "#lib/archive/sessions/show-artifact.ts";
import { artifactParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({
  params: artifactParams,
  run: async ({ slot, params, boundSession }) => {
    const view = await showArtifact(slot.archive, params.pointer);
    // That another session stored the same bytes is not for a token that is bound to this one.
    return boundSession === null
      ? view
      : { ...view, sameBytes: view.sameBytes.filter(({ sessionId }) => sessionId === boundSession) };
  },
});

export const DELETE = route({
  params: artifactParams,
  run: ({ slot, params }) => deleteArtifact(slot.archive, params.pointer),
});
