import { z } from "zod";
import { deleteProgram, readProgram } from "#lib/archive/playground/programs.ts";
import { programParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const GET = route({ params: programParams, run: ({ slot, params }) => readProgram(slot.archive, params.id) });

export const DELETE = route({
  params: programParams,
  body: z.strictObject({}),
  run: ({ slot, params }) => deleteProgram(slot.archive, params.id),
});
