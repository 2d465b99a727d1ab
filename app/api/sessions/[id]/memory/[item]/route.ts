import { memoryHistory } from "#lib/archive/memory/session-memory.ts";
import { memoryItemParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

/** An item with what it was before each change. */
export const GET = route({
  params: memoryItemParams,
  run: ({ slot, params }) => memoryHistory(slot.archive, params.id, params.item),
});
