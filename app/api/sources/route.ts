import { z } from "zod";
import { listSources } from "#lib/archive/sources/list-sources.ts";
import { sourcesQuery } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { addSourceRequest } from "#lib/wire/sources-schema.ts";

export const GET = route({
  query: sourcesQuery,
  run: async ({ slot, query }) => ({
    roots: await slot.imports.roots(),
    ...(await listSources(slot.archive, query)),
    import: slot.imports.progress(),
  }),
});

export const POST = route({
  body: addSourceRequest,
  run: async ({ slot, body }) => {
    await slot.imports.addRoot(body.path);
    return { path: body.path };
  },
});

export const DELETE = route({
  query: z.object({ path: z.string().min(1).max(4096) }),
  run: async ({ slot, query }) => {
    await slot.imports.removeRoot(query.path);
    return { path: query.path };
  },
});
