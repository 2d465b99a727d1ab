import { importParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

/** Retries an import that failed. */
export const POST = route({
  params: importParams,
  status: 202,
  run: async ({ slot, params }) => {
    await slot.imports.retry(params.id);
    return { id: params.id };
  },
});

export const DELETE = route({
  params: importParams,
  run: async ({ slot, params }) => {
    await slot.imports.cancel(params.id);
    return { id: params.id };
  },
});
