import { undoCompaction } from "#lib/archive/memory/compact.ts";
import { compactionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const POST = route({
  params: compactionParams,
  run: ({ slot, params }) => undoCompaction(slot.archive, params.id),
});
