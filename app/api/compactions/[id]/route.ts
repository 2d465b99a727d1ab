import { readCompaction } from "#lib/archive/memory/read-compaction.ts";
import { compactionParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

/** A compaction or a plan that was kept, as it was answered. */
export const GET = route({
  params: compactionParams,
  run: ({ slot, params }) => readCompaction(slot.archive, params.id),
});
