import { z } from "zod";
import { revokeToken } from "#lib/archive/settings/access-tokens.ts";
import { tokenParams } from "#lib/http/params.ts";
import { route } from "#lib/http/route.ts";

export const DELETE = route({
  params: tokenParams,
  body: z.strictObject({}),
  run: ({ slot, params }) => revokeToken(slot.archive, params.id),
});
