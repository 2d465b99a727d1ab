import { detachDirectory } from "#lib/archive/memory/attach-directory.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const DELETE = route({
  params: sessionParams,
  run: ({ slot, params }) => detachDirectory(slot.archive, params.id),
});
