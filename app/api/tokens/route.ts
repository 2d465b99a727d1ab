import { createToken, listTokens } from "#lib/archive/settings/access-tokens.ts";
import { route } from "#lib/http/route.ts";
import { createTokenRequest } from "#lib/wire/tokens-schema.ts";

export const GET = route({ run: async ({ slot }) => ({ tokens: await listTokens(slot.archive) }) });

/** The answer holds the token: it is shown this once. */
export const POST = route({
  body: createTokenRequest,
  status: 201,
  run: ({ slot, body }) => createToken(slot.archive, body),
});
