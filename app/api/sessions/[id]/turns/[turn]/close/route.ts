import { z } from "zod";
import { closeTurn } from "#lib/archive/artifacts/create-session.ts";
import { turnParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const POST = route({
  params: turnParams,
  body: z.strictObject({}),
  run: ({ slot, params }) => closeTurn(slot.archive, params.id, params.turn),
});
