import { listPrograms, saveProgram } from "#lib/archive/playground/programs.ts";
import { route } from "#lib/http/route.ts";
import { saveProgram as saveProgramBody } from "#lib/wire/playground-schema.ts";

export const GET = route({ run: ({ slot }) => listPrograms(slot.archive) });

export const POST = route({
  body: saveProgramBody,
  status: 201,
  run: ({ slot, body }) => saveProgram(slot.archive, body),
});
