import { changeMemory, memoryOf } from "#lib/archive/memory/session-memory.ts";
import { sessionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { memoryChange } from "#lib/wire/memory-schema.ts";

export const GET = route({ params: sessionParams, run: ({ slot, params }) => memoryOf(slot.archive, params.id) });

export const POST = route({
  params: sessionParams,
  body: memoryChange,
  run: ({ slot, params, body, holder }) =>
    changeMemory(slot.archive, params.id, body, {
      by: holder.id.startsWith("token:") ? "agent" : "person",
      who: holder.id,
    }),
});
