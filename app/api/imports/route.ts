import { route } from "#lib/http/route.ts";
import { importRequest } from "#lib/wire/sources-schema.ts";

export const GET = route({ run: async ({ slot }) => ({ import: slot.imports.progress(), jobs: slot.imports.jobs() }) });

export const POST = route({
  body: importRequest,
  status: 202,
  run: async ({ slot, body }) => {
    const { id, done } = await slot.imports.start(body.paths);
    // Its end is told by the stream of changes; here nobody waits for it.
    done.catch(() => undefined);
    return { id };
  },
});
