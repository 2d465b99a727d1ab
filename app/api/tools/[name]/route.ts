import { z } from "zod";
import { covers } from "#lib/http/holder.ts";
import { toolParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";
import { fail } from "#lib/kernel/errors.ts";
import { runTool, toolOf } from "#lib/tools/run-tool.ts";
import { toolQuery } from "#lib/wire/tools-schema.ts";

export const POST = route({
  params: toolParams,
  query: toolQuery,
  body: z.unknown(),
  run: async ({ slot, params, query, body, holder, boundSession }) => {
    if (toolOf(params.name).writes && !covers(holder, "write"))
      fail("invalid", `${params.name} stores something, and this token only reads. Use one of scope write.`);
    return runTool(slot.archive, params.name, body, { session: boundSession ?? query.session, who: holder.id });
  },
});
