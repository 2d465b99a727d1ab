import { z } from "zod";
import { commandParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const POST = route({
  params: commandParams,
  body: z.unknown(),
  run: ({ slot, params, body }) => slot.imports.command(params.name, body),
});
