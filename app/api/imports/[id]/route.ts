import { importParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const DELETE = route({
  params: importParams,
  run: async ({ slot, params }) => {
    await slot.imports.cancel(params.id);
    return { id: params.id };
  },
});
