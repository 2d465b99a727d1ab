import { askSweep } from "#lib/archive/artifacts/sweep.ts";
import { route } from "#lib/http/route.ts";
import { gcRequest } from "#lib/wire/retention-schema.ts";

export const POST = route({
  body: gcRequest,
  run: ({ slot, body }) => askSweep(slot.archive, body),
});
